package dev.damask.intake;

import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What a shard knows about the signals that it keeps for cases whose code is missing: their
/// number, their bytes and their message ids. They are read once per case, page by page, so that
/// one more signal costs its own size however many wait.
///
/// Belongs to the thread that holds the lock of the shard.
public final class KeptSignals {
  private static final int PAGE = 16;

  /// The summaries of more cases are read again when they are needed.
  private static final int CASES_MAX = 100;

  /// What waits for one case. Some of it may not be durable yet.
  public static final class Summary {
    private final Set<String> ids = new HashSet<>();
    private int count;
    private long bytes;
    private long last;

    /// The message ids of the signals; those without one are left out.
    public Set<String> ids() {
      return ids;
    }

    public int count() {
      return count;
    }

    /// How many bytes the rows of the signals have.
    public long bytes() {
      return bytes;
    }

    /// Adds a signal.
    ///
    /// @param size how many bytes its row has
    public void add(FamilyMessage.Signalled signal, long size) {
      count++;
      bytes += size;
      last = Math.max(last, signal.task().lineage());
      if (!signal.messageId().isEmpty()) {
        ids.add(signal.messageId());
      }
    }
  }

  private final Store store;
  private final Function<TableRow, @Nullable FamilyMessage> decode;
  private final Map<String, Summary> cases = new LinkedHashMap<>(16, 0.75f, true);
  private long last;

  /// @param decode returns null for a corrupt row
  public KeptSignals(Store store, Function<TableRow, @Nullable FamilyMessage> decode) {
    this.store = store;
    this.decode = decode;
  }

  /// Returns what waits for a case.
  public Summary of(String caseId) {
    Summary known = cases.get(caseId);
    if (known == null) {
      known = read(caseId);
      cases.put(caseId, known);
      if (cases.size() > CASES_MAX) {
        cases.remove(cases.keySet().iterator().next());
      }
    }
    return known;
  }

  /// Returns a number for the next signal to a case. It is not that of another signal, also if the
  /// summary was read before the last ones were durable.
  public long next(Summary summary) {
    last = Math.max(last, summary.last) + 1;
    return last;
  }

  private Summary read(String caseId) {
    Summary summary = new Summary();
    String prefix = FamilyMessage.Signalled.prefix(caseId);
    TableRow after = new TableRow(FamilyMessage.KIND, prefix, Long.MIN_VALUE, Bytes.of());
    List<TableRow> page;
    do {
      page = store.table().rows(FamilyMessage.KIND, after, PAGE);
      for (TableRow row : page) {
        if (!row.key().startsWith(prefix)) {
          return summary;
        }
        if (decode.apply(row) instanceof FamilyMessage.Signalled signal) {
          summary.add(signal, row.value().length());
        }
        after = MessageDelivery.keyOf(row);
      }
    } while (page.size() == PAGE);
    return summary;
  }

  /// Forgets a case: its signals are applied, or it has gone.
  public void forget(String caseId) {
    cases.remove(caseId);
  }

  /// Forgets all cases.
  public void forgetAll() {
    cases.clear();
  }
}

package dev.damask.session;

import dev.damask.ops.KeptCases;
import dev.damask.session.ProcessInstance.Status;
import dev.damask.step.StepTask;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A process as the rows of the store's table have it.
///
/// A process has up to three rows under the id of its case. Their versions are four times its
/// number, plus 0 for its creation, 1 for its end and 2 for the wake-ups that it sent. A process
/// that ends in the commit that creates it has its end in the first row. The row of an aborted
/// process is indexed by case, group and step. While a process is open, a row under its token has
/// the time of its last change.
///
/// @param end null while the process is open
/// @param sent null if its wake-ups have not been answered or it sent none
record StoredProcess(long number, Spawn spawn, @Nullable End end, @Nullable Sent sent) {
  /// How many versions each process has.
  static final long ROWS = 4;

  private static final int FORMAT = 1;
  private static final int ROOM = 64; // of most rows
  private static final int END = 1;
  private static final int SENT = 2;

  private static TableRow row(String key, long version, Consumer<Encoder> content, String index) {
    Encoder out = new Encoder(ROOM);
    out.natural(FORMAT);
    content.accept(out);
    return new TableRow(KeptCases.PROCESS_ROW, key, version, Bytes.of(out.toBytes()), index);
  }

  private static Decoder open(TableRow row) {
    Decoder in = new Decoder(row.value().toArray());
    long format = in.natural();
    if (format != FORMAT) {
      throw in.damaged("the row of a process has format " + FORMAT + ", found " + format);
    }
    return in;
  }

  /// Where a process comes from.
  ///
  /// @param group the join group it belongs to; 0 for the outermost
  /// @param token its token in the machine
  /// @param atMillis when it was created, or changed in the same commit
  record Spawn(long parent, String step, int group, int token, long atMillis) {
    Spawn changed(long millis) {
      return new Spawn(parent, step, group, token, millis);
    }

    /// @param end of a process that ended in the same commit; null for any other
    TableRow row(String caseId, long number, @Nullable End end) {
      return StoredProcess.row(
          caseId,
          number * ROWS,
          out -> {
            out.natural(parent);
            out.text(step);
            out.natural(group);
            out.natural(token);
            out.whole(atMillis);
            out.flag(end != null);
            if (end != null) {
              end.write(out);
            }
          },
          end == null ? "" : end.index(caseId));
    }

    private static Spawn read(Decoder in) {
      return new Spawn(in.natural(), in.text(), (int) in.natural(), (int) in.natural(), in.whole());
    }
  }

  /// How a process ended.
  ///
  /// @param valid how it was evaluated; empty if it was aborted
  /// @param reason why it was aborted or is invalid; empty if there is no reason
  /// @param step where it ended; empty if the end was read from a row
  /// @param group the join group it belonged to; 0 if the end was read from a row
  record End(Optional<Boolean> valid, String reason, long atMillis, String step, int group) {
    private static final int VALID = 0;
    private static final int INVALID = 1;
    private static final int ABORTED = 2;

    static End done(boolean valid, String reason, long atMillis) {
      return new End(Optional.of(valid), reason, atMillis, "", 0);
    }

    static End aborted(String reason, long atMillis) {
      return new End(Optional.empty(), reason, atMillis, "", 0);
    }

    End at(String endedAt, int groupOf) {
      return new End(valid, reason, atMillis, endedAt, groupOf);
    }

    boolean isAborted() {
      return valid.isEmpty();
    }

    Status status() {
      return isAborted() ? Status.ABORTED : Status.DONE;
    }

    private String index(String caseId) {
      return isAborted() && group != 0 ? abortedAt(caseId, group, step) : "";
    }

    TableRow row(String caseId, long number) {
      return StoredProcess.row(caseId, number * ROWS + END, this::write, index(caseId));
    }

    private void write(Encoder out) {
      out.octet(valid.map(is -> is ? VALID : INVALID).orElse(ABORTED));
      out.text(reason);
      out.whole(atMillis);
    }

    private static End read(Decoder in) {
      int how = in.below(ABORTED + 1);
      return how == ABORTED
          ? aborted(in.text(), in.whole())
          : done(how == VALID, in.text(), in.whole());
    }
  }

  /// The wake-ups that a process has sent, once they were answered.
  ///
  /// @param note a JSON object
  record Sent(String note, long atMillis) {
    TableRow row(String caseId, long number) {
      return StoredProcess.row(
          caseId,
          number * ROWS + SENT,
          out -> {
            out.text(note);
            out.whole(atMillis);
          },
          "");
    }

    private static Sent read(Decoder in) {
      return new Sent(in.text(), in.whole());
    }
  }

  /// The row with the time of the last change of a token.
  static TableRow changed(String caseId, int token, long atMillis) {
    return row(caseId + KeptCases.TOKENS, token, out -> out.whole(atMillis), "");
  }

  private static String abortedAt(String caseId, int group, String step) {
    return caseId + "/" + group + "/" + step + "/";
  }

  /// Whether a process of a group was aborted at a step.
  static boolean isAborted(Table table, String caseId, int group, String step) {
    return !table.indexed(KeptCases.PROCESS_ROW, abortedAt(caseId, group, step), null, 1).isEmpty();
  }

  /// Returns one process; empty if it does not exist.
  static Optional<StoredProcess> find(Table table, String caseId, long number) {
    return page(table, caseId, number + 1, 1).stream()
        .filter(process -> process.number == number)
        .findFirst();
  }

  /// Returns the time of the last change of an open process.
  static long changedMillis(Table table, String caseId, Spawn spawn) {
    return table
        .find(KeptCases.PROCESS_ROW, caseId + KeptCases.TOKENS, spawn.token)
        .map(row -> open(row).whole())
        .orElse(spawn.atMillis);
  }

  /// Returns processes, the latest first.
  ///
  /// @param before only processes with a smaller number
  /// @param most the maximum number of processes
  static List<StoredProcess> page(Table table, String caseId, long before, int most) {
    TableRow after =
        new TableRow(KeptCases.PROCESS_ROW, caseId, Math.multiplyExact(before, ROWS), Bytes.of());
    Map<Long, Map<Integer, TableRow>> found = new TreeMap<>(Comparator.reverseOrder());
    List<StoredProcess> processes = new ArrayList<>();
    int limit = Math.clamp(most * 3L + 1, 1, 1_000);
    List<TableRow> rows;
    do {
      rows = table.rows(KeptCases.PROCESS_ROW, after, limit);
      for (TableRow row : rows) {
        after = row;
        if (!row.key().equals(caseId) || row.version() < ROWS) {
          rows = List.of();
          break;
        }
        found
            .computeIfAbsent(row.version() / ROWS, _ -> new TreeMap<>())
            .put((int) (row.version() % ROWS), row);
      }
    } while (rows.size() == limit && found.size() <= most);
    found.forEach((number, parts) -> {
      TableRow spawn = parts.get(0);
      if (spawn != null && processes.size() < most) {
        processes.add(of(number, spawn, parts.get(END), parts.get(SENT)));
      }
    });
    return processes;
  }

  private static StoredProcess of(
      long number, TableRow spawned, @Nullable TableRow ended, @Nullable TableRow sent) {
    Decoder in = open(spawned);
    Spawn spawn = Spawn.read(in);
    End end = in.flag() ? End.read(in) : ended == null ? null : End.read(open(ended));
    return new StoredProcess(number, spawn, end, sent == null ? null : Sent.read(open(sent)));
  }

  /// The process if its session is open and its state does not have it, or has ended.
  ///
  /// @param endedMillis when its session ended; empty while that is open
  ProcessInstance instance(OptionalLong endedMillis) {
    boolean isKilled = end == null && endedMillis.isPresent();
    long changed = end == null ? spawn.atMillis : end.atMillis;
    return new ProcessInstance(
        number,
        spawn.parent,
        spawn.step,
        isKilled ? Status.ABORTED : end == null ? Status.WAITING : end.status(),
        end == null ? Optional.empty() : end.valid,
        spawn.group,
        0,
        OptionalLong.empty(),
        List.of(),
        List.of(),
        Map.of(),
        Map.of(),
        isKilled ? "the session has ended" : end == null ? "" : end.reason,
        isKilled ? endedMillis.getAsLong() : sent == null ? changed : sent.atMillis,
        isKilled ? endedMillis : OptionalLong.empty());
  }

  /// The wake-ups that the process has sent.
  List<SentWakeUp> wakeUps() {
    List<SentWakeUp> all = new ArrayList<>();
    if (sent != null
        && ProcessRows.object(sent.note).get(StepTask.WAKE_UPS) instanceof List<?> lines) {
      for (Object each : lines) {
        all.add(SentWakeUp.of(number, spawn.step, (Map<?, ?>) each));
      }
    }
    return all;
  }
}

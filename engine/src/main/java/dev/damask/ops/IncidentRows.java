package dev.damask.ops;

import dev.damask.effect.Effect;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Pause;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The rows of the store's table that list the incidents of all cases, the oldest first. A row is
/// written and removed in the commit of its case.
public final class IncidentRows {
  /// The kind of the rows.
  public static final String KIND = "incident";

  private static final int PAGE = 500;

  private IncidentRows() {}

  /// The case that commits.
  public record Subject(String caseId, String workflow) {}

  /// The changes of the table that a commit of a case needs.
  ///
  /// @param before the intents that have changed, as they were committed last
  public static List<RowChange> changes(
      Subject live,
      Map<EffectId, Optional<EffectIntent>> before,
      Function<EffectId, @Nullable EffectIntent> now) {
    List<RowChange> rows = List.of();
    for (Map.Entry<EffectId, Optional<EffectIntent>> each : before.entrySet()) {
      EffectIntent old = each.getValue().filter(it -> it.incident().isPresent()).orElse(null);
      EffectIntent intent = now.apply(each.getKey());
      EffectIntent open = intent != null && intent.incident().isPresent() ? intent : null;
      if (old == null && open == null) {
        continue; // nearly always
      }
      rows = rows.isEmpty() ? new ArrayList<>() : rows;
      if (old != null) {
        rows.add(new RowChange.Remove(row(live, old)));
      }
      if (open != null) {
        rows.add(new RowChange.Put(row(live, open)));
      }
    }
    return rows;
  }

  private static TableRow row(Subject live, EffectIntent intent) {
    Pause.Incident incident = intent.incident().orElseThrow();
    Encoder out = new Encoder();
    out.text(live.caseId);
    out.text(live.workflow);
    out.fixed(intent.id().lineage());
    out.text(intent.task());
    out.natural(intent.attempt());
    out.text(intent.type());
    out.text(intent.key());
    out.whole(incident.sinceMillis());
    out.text(incident.address());
    out.text(incident.reason());
    out.text(incident.detail());
    String key =
        "%020d %s %s"
            .formatted(
                Math.max(0, incident.sinceMillis()),
                HexFormat.of().toHexDigits(intent.id().lineage()),
                live.caseId);
    return new TableRow(KIND, key, 1, Bytes.of(out.toBytes()), live.caseId);
  }

  /// The incident that a row lists.
  static Incident read(TableRow row) {
    Decoder in = new Decoder(row.value().toArray());
    String caseId = in.text();
    String workflow = in.text();
    EffectId id = new EffectId(in.fixed());
    Effect effect = new Effect(id, in.text(), in.below(Integer.MAX_VALUE), in.text(), in.text());
    Instant since = Instant.ofEpochMilli(in.whole());
    return new Incident(caseId, workflow, effect, in.text(), since, in.text(), in.text());
  }

  /// The incidents that match, the oldest first.
  static List<Incident> list(Store store, Predicate<Incident> filter, int limit) {
    List<Incident> found = new ArrayList<>();
    TableRow last = null;
    List<TableRow> page;
    do {
      page = store.table().rows(KIND, last, PAGE);
      for (TableRow row : page) {
        last = row;
        Incident incident = read(row);
        if (filter.test(incident)) {
          found.add(incident);
          if (found.size() == limit) {
            return found;
          }
        }
      }
    } while (page.size() == PAGE);
    return found;
  }

  /// The incidents of one case that match, the oldest first.
  static List<Incident> listOf(Store store, String caseId, Predicate<Incident> filter) {
    return store.table().allIndexed(KIND, caseId).stream()
        .map(IncidentRows::read)
        .filter(filter)
        .toList();
  }

  /// The removal of the rows of a case that is removed without having been read.
  static List<RowChange> removedWith(Store store, String caseId) {
    return store.table().allIndexed(KIND, caseId).stream()
        .<RowChange>map(RowChange.Remove::new)
        .toList();
  }

  /// Logs one line for each incident that began with changes of the table.
  public static void log(Collection<RowChange> changes) {
    for (RowChange change : changes) {
      if (change instanceof RowChange.Put(var row) && row.kind().equals(KIND)) {
        System.getLogger(IncidentRows.class.getName())
            .log(
                System.Logger.Level.WARNING,
                read(row) + "; retry, skip or fail it with Engine.incidents or 'damask incidents'");
      }
    }
  }
}

package dev.damask.session;

import dev.damask.event.ProcessEvent;
import dev.damask.event.TraceEvent;
import dev.damask.history.TraceCodec;
import dev.damask.history.TracePart;
import dev.damask.history.TraceRows;
import dev.damask.json.Json;
import dev.damask.session.StoredProcess.End;
import dev.damask.session.StoredProcess.Sent;
import dev.damask.session.StoredProcess.Spawn;
import dev.damask.source.JsonTexts;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.Table;
import dev.damask.value.StepOutcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Writes the processes of sessions as rows of the store's table, with the commits that change
/// them. [StoredProcess] and [SessionTotals] define the rows.
///
/// A session that an older version has started gets its rows from its whole trace with its next
/// commit.
final class ProcessRows implements TraceRows {
  private final Store store;

  ProcessRows(Store store) {
    this.store = store;
  }

  @Override
  public Written written(CommittedPart part, @Nullable Memory before) {
    if (!SessionKey.isSession(part.caseId())) {
      return new Written(List.of(), before);
    }
    Collector collector = collector(part, before);
    collector.add(part.atMillis(), part.events());
    return new Written(collector.rows(), collector.totals);
  }

  private Collector collector(CommittedPart part, @Nullable Memory before) {
    String caseId = part.caseId();
    if (part.revision() == 1) {
      return new Collector(caseId, new SessionTotals());
    }
    return before instanceof SessionTotals totals
        ? new Collector(caseId, totals.copy())
        : SessionTotals.find(store.table(), caseId)
            .map(totals -> new Collector(caseId, totals))
            .orElseGet(() -> ofTrace(store, caseId));
  }

  private static Collector ofTrace(Store store, String caseId) {
    Collector collector = new Collector(caseId, new SessionTotals());
    for (TracePart part : TraceCodec.parts(store.trace(caseId))) {
      collector.add(part.atMillis(), part.events());
    }
    return collector;
  }

  /// Returns the table that has the rows of a session. If no version with rows of processes has
  /// moved it, they are made of its trace.
  static Table table(Store store, String caseId) {
    if (SessionTotals.find(store.table(), caseId).isPresent()) {
      return store.table();
    }
    MemoryStore made = new MemoryStore();
    made.commit(CommitBatch.ofRows(ofTrace(store, caseId).rows())).join();
    return made.table();
  }

  /// Returns a JSON object; empty if the text is not one.
  static Map<?, ?> object(String json) {
    Json read = JsonTexts.readOrNull(json);
    return read != null && JsonTexts.value(read) instanceof Map<?, ?> map ? map : Map.of();
  }

  /// What one commit writes.
  private static final class Collector {
    private final String caseId;
    private final SessionTotals totals;
    private final Map<Integer, Spawn> spawned = new TreeMap<>();
    private final Map<Integer, End> ended = new TreeMap<>();
    private final Map<Integer, Sent> sent = new TreeMap<>();
    private final Set<Integer> spawnedTokens = new HashSet<>();
    private final Set<Integer> endedTokens = new HashSet<>();
    private final Map<Integer, Long> changed = new TreeMap<>(); // by token

    Collector(String caseId, SessionTotals totals) {
      this.caseId = caseId;
      this.totals = totals;
    }

    void add(long atMillis, List<TraceEvent> events) {
      totals.lastMillis = atMillis;
      for (TraceEvent event : events) {
        add(atMillis, event);
        boolean isAmongProcesses = totals.made > 0 && event.kind() != TraceEvent.Kind.ENDED;
        if (isAmongProcesses && event.token() != 0) {
          changed.put(event.token(), atMillis);
        }
      }
    }

    private void add(long atMillis, TraceEvent event) {
      switch (event.process()) {
        case ProcessEvent.Spawned(var number, var parent, _) -> {
          totals.made++;
          int group = totals.group(event.scope());
          spawned.put(number, new Spawn(parent, event.subject(), group, event.token(), atMillis));
          spawnedTokens.add(event.token());
        }
        case ProcessEvent.Evaluated(var number, var outcome) -> {
          totals.cost += event.evaluation() == null ? 0 : event.evaluation().cost();
          totals.cancelledBy =
              outcome == StepOutcome.CANCELLED ? event.subject() : totals.cancelledBy;
          end(number, event, evaluated(event, outcome, atMillis));
        }
        case ProcessEvent.Aborted(var number, var reason) ->
            end(number, event, End.aborted(reason, atMillis));
        case ProcessEvent.Sent(var number, var note) -> {
          sent.put(number, new Sent(note, atMillis));
          endedTokens.add(event.token());
        }
        case ProcessEvent.Received(var tag, var woken) -> {
          if (event.subject().equals(SessionControl.WAKE)) {
            totals.received(tag, woken);
          }
        }
        case ProcessEvent.Awaits _, ProcessEvent.Joined _, ProcessEvent.Woken _ -> {}
        case null -> {}
      }
    }

    /// A process that its rule aborts is evaluated and aborted, in one commit.
    private void end(int number, TraceEvent event, End end) {
      endedTokens.add(event.token());
      if (ended.put(number, end.at(event.subject(), totals.group(event.scope()))) == null) {
        totals.aborted += end.isAborted() ? 1 : 0;
        totals.done += end.isAborted() ? 0 : 1;
      }
    }

    private static End evaluated(TraceEvent event, StepOutcome outcome, long atMillis) {
      return switch (outcome) {
        case VALID -> End.done(true, reason(event), atMillis);
        case INVALID -> End.done(false, reason(event), atMillis);
        case ABORTED -> End.aborted("by its rule", atMillis);
        case CANCELLED -> End.aborted("its rule cancelled the session", atMillis);
      };
    }

    /// Why a step was invalid; empty if it was not.
    private static String reason(TraceEvent event) {
      TraceEvent.Evaluation evaluation = event.evaluation();
      String more = evaluation == null ? "" : evaluation.note().more();
      if (more.isEmpty()) {
        return "";
      }
      Map<?, ?> note = object(more);
      return note.get("soft") instanceof String soft
          ? soft
          : note.get("failedRule") instanceof String rule ? "the rule " + rule + " is false" : "";
    }

    List<RowChange> rows() {
      List<RowChange> rows = new ArrayList<>();
      rows.add(new RowChange.Put(totals.row(caseId)));
      spawned.forEach((number, spawn) -> {
        Spawn last = spawn.changed(changed.getOrDefault(spawn.token(), spawn.atMillis()));
        rows.add(new RowChange.Put(last.row(caseId, number, ended.get(number))));
      });
      ended.forEach((number, end) -> {
        if (!spawned.containsKey(number)) {
          rows.add(new RowChange.Put(end.row(caseId, number)));
        }
      });
      sent.forEach((number, each) -> rows.add(new RowChange.Put(each.row(caseId, number))));
      changed.forEach((token, millis) -> {
        boolean isOver = endedTokens.contains(token);
        if (!spawnedTokens.contains(token)) {
          var row = StoredProcess.changed(caseId, token, millis);
          rows.add(isOver ? new RowChange.Remove(row) : new RowChange.Put(row));
        }
      });
      return rows;
    }
  }
}

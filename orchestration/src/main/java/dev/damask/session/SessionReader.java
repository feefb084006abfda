package dev.damask.session;

import dev.damask.cases.Engine;
import dev.damask.effect.EffectIntent;
import dev.damask.event.ProcessEvent;
import dev.damask.event.ProcessView;
import dev.damask.event.TraceEvent;
import dev.damask.exec.ExecState;
import dev.damask.history.TraceCodec;
import dev.damask.step.StepRun;
import dev.damask.step.StepScope;
import dev.damask.step.StepTask;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Reads sessions from the store without loading them.
final class SessionReader {
  /// How many revisions of a trace are read at first for its last log lines.
  private static final long TAIL_REVISIONS = 64;

  private final Engine engine;
  private final Store store;
  private final SessionStates states;

  SessionReader(Engine engine, Store store, SessionStates states) {
    this.engine = engine;
    this.store = store;
    this.states = states;
  }

  void requireThere(SessionKey key) {
    if (store.record(key.caseId()).isEmpty()) {
      throw new IllegalArgumentException("there is no session " + key);
    }
  }

  private Store.LoadedCase read(SessionKey key) {
    try {
      return engine.read(key.caseId());
    } catch (IllegalArgumentException e) {
      requireThere(key); // the message names the session, not the case
      throw e;
    }
  }

  /// The state of an open session; null when it has ended or its graph is not known.
  @Nullable ExecState state(String caseId) {
    return states.decode(record(caseId));
  }

  private CaseRecord record(String caseId) {
    return store
        .load(caseId)
        .map(Store.LoadedCase::record)
        .orElseThrow(() -> new IllegalArgumentException("there is no session " + caseId));
  }

  /// Returns a session with its open processes.
  ///
  /// @param endedMost how many of its processes that have ended it contains, the latest ones
  SessionView view(SessionKey key, int endedMost) {
    Store.LoadedCase found = read(key);
    CaseRecord record = found.record();
    ExecState state = states.decode(record);
    boolean ended = record.status().isEnded();
    LogLine.Graph graph = states.graph(record);
    List<EffectIntent> open = found.intents();
    ProcessReader processes = processes(key, record, state);
    ProcessReader.Found listed = processes.latest(endedMost);
    return new SessionView(
        key,
        graph.id(),
        graph.hash(),
        record.status(),
        state != null && state.isPaused(),
        processes.totals().cost,
        Optional.of(processes.totals().cancelledBy).filter(step -> !step.isEmpty()),
        state == null
            ? Optional.empty()
            : state.failure().map(failure -> failure.reason() + ": " + failure.detail()),
        ended && state != null ? StepScope.plain(state.context().toMap()) : Map.of(),
        listed.processes(),
        processes.counts(),
        processes.killed(),
        record.startedMillis(),
        record.changedMillis(),
        lacking(open),
        listed.wakeUps(),
        open.stream().anyMatch(intent -> intent.type().equals(StepRun.WAKE)));
  }

  private ProcessReader processes(SessionKey key, CaseRecord record, @Nullable ExecState state) {
    boolean hasEnded = record.status().isEnded();
    List<ProcessView> live = hasEnded || state == null ? List.of() : state.processes();
    return new ProcessReader(store, key.caseId(), live, hasEnded);
  }

  /// Returns the processes of a session.
  ProcessReader processes(SessionKey key) {
    CaseRecord record = read(key).record();
    return processes(key, record, states.decode(record));
  }

  private static Map<String, List<String>> lacking(List<EffectIntent> open) {
    Map<String, List<String>> lacking = new TreeMap<>();
    for (EffectIntent each : open) {
      if (each.type().equals(StepTask.SECRETS) && each.with().get("names") instanceof List<?> all) {
        lacking.put(each.task(), all.stream().map(String::valueOf).toList());
      }
    }
    return lacking;
  }

  List<LogLine> log(SessionKey key, Predicate<LogLine> wanted) {
    LogLine.Graph graph = states.graph(read(key).record());
    return SessionLog.of(key, graph, TraceCodec.parts(store.trace(key.caseId()))).stream()
        .filter(wanted)
        .toList();
  }

  /// Returns the last log lines of a session, in order. Reads the end of its trace.
  List<LogLine> lastLines(SessionKey key, int most) {
    CaseRecord record = read(key).record();
    LogLine.Graph graph = states.graph(record);
    List<LogLine> lines;
    long back = TAIL_REVISIONS;
    long from;
    do {
      from = Math.max(0, record.revision() - back);
      lines = SessionLog.of(key, graph, TraceCodec.parts(store.trace(key.caseId(), from)));
      back *= 4;
    } while (from > 0 && lines.size() < most);
    return lines.subList(Math.max(0, lines.size() - most), lines.size());
  }

  /// Returns the sessions that have not ended, the latest first. Reads no session that has ended.
  List<SessionKey> open() {
    List<CaseRecord> found = new ArrayList<>();
    for (CaseStatus status : CaseStatus.values()) {
      String cursor = "";
      while (!status.isEnded()) {
        var page =
            store.list(CaseQuery.ALL.withStatus(status).withPage(cursor, CaseQuery.LIMIT_MAX));
        page.cases().stream()
            .filter(each -> SessionKey.isSession(each.caseId()))
            .forEach(found::add);
        cursor = page.next();
        if (cursor.isEmpty()) {
          break;
        }
      }
    }
    found.sort(
        Comparator.comparingLong(CaseRecord::startedMillis)
            .reversed()
            .thenComparing(CaseRecord::caseId));
    return found.stream().map(states::key).toList();
  }

  /// Returns the number of processes that a message has woken. The totals have the last messages;
  /// an earlier one is in the trace, whose last parts are decoded first.
  int woken(SessionKey key, String tag) {
    read(key); // waits until the message is durable
    Optional<SessionTotals> totals = SessionTotals.find(store.table(), key.caseId());
    if (totals.isPresent() && totals.get().woken.containsKey(tag)) {
      return totals.get().woken.get(tag);
    }
    for (byte[] part : store.trace(key.caseId()).reversed()) {
      for (TraceEvent event : TraceCodec.decode(List.of(part))) {
        if (event.process() instanceof ProcessEvent.Received(var found, var woken)
            && found.equals(tag)) {
          return woken;
        }
      }
    }
    return 0;
  }

  /// Returns the hash of the graph that a session is pinned to.
  String graphHash(SessionKey key) {
    return states.graph(record(key.caseId())).hash();
  }
}

package dev.damask.session;

import dev.damask.cases.Engine;
import dev.damask.effect.EffectIntent;
import dev.damask.event.ProcessEvent;
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

/// Looks at sessions without touching them.
final class SessionReader {
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

  /// Returns a session with all its processes, from its record and its trace.
  SessionView view(SessionKey key) {
    Store.LoadedCase found = read(key);
    return view(key, found, history(key, states.graph(found.record())));
  }

  /// Returns a session with its live processes only. The trace is not read, so the view has no
  /// cost, no past and no times of processes.
  SessionView present(SessionKey key) {
    Store.LoadedCase found = read(key);
    LogLine.Graph graph = states.graph(found.record());
    return view(key, found, new SessionHistory(key, graph, List.of()));
  }

  private SessionView view(SessionKey key, Store.LoadedCase found, SessionHistory history) {
    CaseRecord record = found.record();
    ExecState state = states.decode(record);
    boolean ended = record.status().isEnded();
    LogLine.Graph graph = states.graph(record);
    List<EffectIntent> open = found.intents();
    return new SessionView(
        key,
        graph.id(),
        graph.hash(),
        record.status(),
        state != null && state.isPaused(),
        history.cost(),
        history.cancelledBy(),
        state == null
            ? Optional.empty()
            : state.failure().map(failure -> failure.reason() + ": " + failure.detail()),
        ended && state != null ? StepScope.plain(state.context().toMap()) : Map.of(),
        ended ? history.ended() : history.processes(state == null ? List.of() : state.processes()),
        record.startedMillis(),
        record.changedMillis(),
        lacking(open),
        history.wakeUps(),
        open.stream().anyMatch(intent -> intent.type().equals(StepRun.WAKE)));
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

  private SessionHistory history(SessionKey key, LogLine.Graph graph) {
    return new SessionHistory(key, graph, TraceCodec.parts(store.trace(key.caseId())));
  }

  List<LogLine> log(SessionKey key, Predicate<LogLine> wanted) {
    LogLine.Graph graph = states.graph(read(key).record());
    return history(key, graph).log().stream().filter(wanted).toList();
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

  /// Returns the number of processes that a message has woken. The event is in one of the last
  /// parts of the trace, so these are decoded first.
  int woken(SessionKey key, String tag) {
    read(key); // waits until the message is durable
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

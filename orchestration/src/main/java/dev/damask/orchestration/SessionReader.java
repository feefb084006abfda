package dev.damask.orchestration;

import dev.damask.cases.Engine;
import dev.damask.cases.TraceCodec;
import dev.damask.compile.Compiler;
import dev.damask.effect.EffectIntent;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.schedule.InOrder;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Looks at sessions without touching them.
final class SessionReader {
  private final Engine engine;
  private final Store store;
  private final Map<ProgramHash, Known> graphs = new ConcurrentHashMap<>();

  /// What reads the states of a graph's sessions, and what the graph is called.
  private record Known(Machine machine, String id, String hash) {}

  SessionReader(Engine engine, Store store) {
    this.engine = engine;
    this.store = store;
  }

  /// Learns to read the sessions of a graph. They are pinned to its program, so they need not say
  /// which graph it is.
  void know(WorkflowDefinition workflow, String id, String hash) {
    Program program = Compiler.compile(workflow);
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    graphs.put(program.hash(), new Known(machine, id, hash));
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
    return state(record(caseId));
  }

  private CaseRecord record(String caseId) {
    return store
        .record(caseId)
        .orElseThrow(() -> new IllegalArgumentException("there is no session " + caseId));
  }

  private @Nullable ExecState state(CaseRecord record) {
    Known known = graphs.get(record.program());
    return known == null ? null : record.decode(known.machine);
  }

  SessionView view(SessionKey key) {
    Store.LoadedCase found = read(key);
    CaseRecord record = found.record();
    ExecState state = state(record);
    boolean ended = record.status().isEnded();
    LogLine.Graph graph = graph(record);
    SessionHistory history = history(key, graph);
    List<EffectIntent> open = found.intents();
    return new SessionView(
        key,
        graph.id(),
        graph.hash(),
        record.status(),
        state != null && state.isPaused(),
        history.cost(),
        state == null
            ? Optional.empty()
            : state.failure().map(failure -> failure.reason() + ": " + failure.detail()),
        ended && state != null ? SessionHistory.plain(state.context().toMap()) : Map.of(),
        ended ? history.ended() : history.processes(state == null ? List.of() : state.processes()),
        record.startedMillis(),
        record.changedMillis(),
        lacking(open),
        history.wakeUps(),
        open.stream().anyMatch(intent -> intent.type().equals(StepRun.WAKE)));
  }

  private LogLine.Graph graph(CaseRecord record) {
    Known graph = graphs.get(record.program());
    return graph == null
        ? new LogLine.Graph("unknown", "unknown")
        : new LogLine.Graph(graph.id, graph.hash);
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
    LogLine.Graph graph = graph(read(key).record());
    return history(key, graph).log().stream().filter(wanted).toList();
  }

  /// The sessions of an owner, or of everybody; the ones that began last come first. Those of one
  /// owner are found by their ids.
  List<SessionKey> list(@Nullable String owner, int most) {
    if (owner != null) {
      String sequence = SessionKey.of(owner, 0).sequence();
      return store.ids(sequence).stream()
          .map(id -> Long.parseLong(id.substring(sequence.length())))
          .sorted(Comparator.reverseOrder())
          .limit(most)
          .map(number -> SessionKey.of(owner, number))
          .toList();
    }
    List<CaseRecord> found = new ArrayList<>();
    String cursor = "";
    do {
      var page = store.list(CaseQuery.ALL.withPage(cursor, CaseQuery.LIMIT_MAX));
      page.cases().stream().filter(each -> SessionKey.isSession(each.caseId())).forEach(found::add);
      cursor = page.next();
    } while (!cursor.isEmpty());
    found.sort(
        Comparator.comparingLong(CaseRecord::startedMillis)
            .reversed()
            .thenComparing(CaseRecord::caseId));
    List<SessionKey> keys = new ArrayList<>();
    for (CaseRecord each : found) {
      if (keys.size() >= most) {
        break;
      }
      keys.add(key(each));
    }
    return keys;
  }

  /// Which session a case is. An owner that no id can hold stands in the state.
  private SessionKey key(CaseRecord record) {
    Optional<SessionKey> named = SessionKey.ofCase(record.caseId());
    if (named.isPresent()) {
      return named.get();
    }
    ExecState state = state(record);
    Context context = state == null ? Context.empty() : state.context();
    return StepScope.key(context);
  }
}

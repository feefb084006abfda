package dev.damask.orchestration;

import dev.damask.cases.CaseView;
import dev.damask.cases.Engine;
import dev.damask.cases.PendingTask;
import dev.damask.cases.TraceCodec;
import dev.damask.compile.Compiler;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.schedule.InOrder;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import dev.damask.task.Context;
import dev.damask.term.Workflow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
  void know(Workflow workflow, String id, String hash) {
    Program program = Compiler.compile(workflow);
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    graphs.put(program.hash(), new Known(machine, id, hash));
  }

  void requireThere(SessionKey key) {
    if (store.load(key.caseId()).isEmpty()) {
      throw new IllegalArgumentException("there is no session " + key);
    }
  }

  /// The state of an open session; null when it has ended or its graph is not known.
  @Nullable ExecState state(String caseId) {
    return state(record(caseId));
  }

  private CaseRecord record(String caseId) {
    return store
        .load(caseId)
        .orElseThrow(() -> new IllegalArgumentException("there is no session " + caseId));
  }

  private @Nullable ExecState state(CaseRecord record) {
    Known known = graphs.get(record.program());
    return known == null ? null : StateCodec.decode(known.machine, record.state());
  }

  SessionView view(SessionKey key) {
    CaseView found = engine.status(key.caseId());
    CaseRecord record = record(key.caseId());
    ExecState state = state(record);
    boolean ended = found.status().isEnded();
    Context context = found.context();
    SessionHistory history = history(key);
    Known graph = graphs.get(record.program());
    return new SessionView(
        key,
        graph == null ? "unknown" : graph.id,
        graph == null ? "unknown" : graph.hash,
        found.status(),
        state != null && state.isPaused(),
        history.cost(),
        found.failure().map(failure -> failure.reason() + ": " + failure.detail()),
        ended ? SessionHistory.plain(context.toMap()) : Map.of(),
        ended ? history.ended() : history.processes(state == null ? List.of() : state.processes()),
        record.startedMillis(),
        record.changedMillis(),
        lacking(found.tasks()));
  }

  private static Map<String, List<String>> lacking(List<PendingTask> tasks) {
    Map<String, List<String>> lacking = new TreeMap<>();
    for (PendingTask task : tasks) {
      if (task.type().equals(StepTask.SECRETS) && task.with().get("names") instanceof List<?> all) {
        lacking.put(task.task(), all.stream().map(String::valueOf).toList());
      }
    }
    return lacking;
  }

  private SessionHistory history(SessionKey key) {
    return new SessionHistory(key, TraceCodec.parts(store.trace(key.caseId())));
  }

  List<LogLine> log(SessionKey key, Predicate<LogLine> wanted) {
    engine.status(key.caseId()); // what was answered before is in the store then
    return history(key).log().stream().filter(wanted).toList();
  }

  /// The sessions of an owner, or of everybody; the ones that began last come first.
  List<SessionKey> list(@Nullable String owner, int most) {
    List<CaseRecord> found = new ArrayList<>();
    String cursor = "";
    do {
      var page = store.list(CaseQuery.ALL.withPage(cursor, CaseQuery.LIMIT_MAX));
      page.cases().stream().filter(each -> SessionKey.isSession(each.caseId())).forEach(found::add);
      cursor = page.next();
    } while (!cursor.isEmpty());
    found.sort(
        java.util.Comparator.comparingLong(CaseRecord::startedMillis)
            .reversed()
            .thenComparing(CaseRecord::caseId));
    List<SessionKey> keys = new ArrayList<>();
    for (CaseRecord each : found) {
      if (keys.size() >= most) {
        break;
      }
      Context context = engine.status(each.caseId()).context();
      String name = String.valueOf(context.get(StepScope.OWNER));
      if (owner == null || owner.equals(name)) {
        keys.add(SessionKey.of(name, StepScope.session(context)));
      }
    }
    return keys;
  }
}

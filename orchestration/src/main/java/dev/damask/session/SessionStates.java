package dev.damask.session;

import dev.damask.compile.Compiler;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.schedule.InOrder;
import dev.damask.store.CaseRecord;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Decodes the stored states of sessions. A session is pinned to the program of its graph, so its
/// record need not name the graph. Every method may be called from any thread.
final class SessionStates {
  private static final LogLine.Graph UNKNOWN = new LogLine.Graph("unknown", "unknown");

  private final Map<ProgramHash, Known> graphs = new ConcurrentHashMap<>();

  private record Known(Machine machine, LogLine.Graph graph) {}

  /// Adds a graph whose sessions can be decoded from now on.
  void add(WorkflowDefinition workflow, LogLine.Graph graph) {
    Program program = Compiler.compile(workflow);
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    graphs.put(program.hash(), new Known(machine, graph));
  }

  /// Returns the state of a session; null if its graph is not known.
  @Nullable ExecState decode(CaseRecord record) {
    Known known = graphs.get(record.program());
    return known == null ? null : record.decode(known.machine);
  }

  /// Returns the graph that a session is pinned to.
  LogLine.Graph graph(CaseRecord record) {
    Known known = graphs.get(record.program());
    return known == null ? UNKNOWN : known.graph;
  }

  /// Returns the session that a case is. If its id contains the hash of the owner, the owner is
  /// read from the state.
  SessionKey key(CaseRecord record) {
    return SessionKey.ofCase(record.caseId())
        .orElseGet(() -> {
          ExecState state = decode(record);
          return SessionKey.of(state == null ? Context.empty() : state.context());
        });
  }
}

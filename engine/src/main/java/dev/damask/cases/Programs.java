package dev.damask.cases;

import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.term.Workflow;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The programs an engine can run, by hash and by the name of their workflow.
final class Programs {
  private record Entry(Workflow workflow, Program program) {}

  private final Map<ProgramHash, Program> byHash = new ConcurrentHashMap<>();
  private final Map<String, Entry> byName = new ConcurrentHashMap<>();

  /// Compiles a workflow unless it is the one that was registered last under its name.
  Program register(Workflow workflow) {
    Entry known = byName.get(workflow.name());
    if (known != null && known.workflow == workflow) {
      return known.program;
    }
    Program program = Compiler.compile(workflow);
    byHash.put(program.hash(), program);
    byName.put(workflow.name(), new Entry(workflow, program));
    return program;
  }

  /// Null when it is not registered.
  @Nullable Program find(ProgramHash hash) {
    return byHash.get(hash);
  }

  /// The newest program of a workflow; null when there is none.
  @Nullable Program find(String name) {
    Entry entry = byName.get(name);
    return entry == null ? null : entry.program;
  }
}

package dev.damask.cases;

import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.CommitBatch;
import dev.damask.store.Store;
import dev.damask.store.StoredProgram;
import dev.damask.task.Bytes;
import dev.damask.term.Workflow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The programs an engine can run, by hash and by the name of their workflow. Those that came from
/// documents are read from the store when a case asks for them.
final class Programs {
  private record Entry(Workflow workflow, Program program) {}

  private final Store store;
  private final SourceReader reader;
  private final Map<ProgramHash, Program> byHash = new ConcurrentHashMap<>();
  private final Map<String, Entry> byName = new ConcurrentHashMap<>();

  /// What could not be had, so that nobody looks twice.
  private final Set<ProgramHash> missing = ConcurrentHashMap.newKeySet();

  Programs(Store store, SourceReader reader) {
    this.store = store;
    this.reader = reader;
  }

  /// Knows at once what another engine has compiled.
  Programs(Store store, SourceReader reader, Programs before) {
    this(store, reader);
    byHash.putAll(before.byHash);
    byName.putAll(before.byName);
  }

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

  /// Writes down every registered program that the store does not know yet.
  void store() {
    List<StoredProgram> all = new ArrayList<>();
    byHash
        .values()
        .forEach(each -> all.add(new StoredProgram(each.hash(), each.name(), Bytes.of())));
    store(all);
  }

  void store(StoredProgram program) {
    store(List.of(program));
  }

  private void store(List<StoredProgram> programs) {
    List<StoredProgram> unknown = programs.stream().filter(each -> !isStored(each)).toList();
    if (!unknown.isEmpty()) {
      Replies.get(store.commit(CommitBatch.of(unknown)));
    }
  }

  private boolean isStored(StoredProgram program) {
    StoredProgram known = store.program(program.hash()).orElse(null);
    return known != null && (known.equals(program) || program.source().length() == 0);
  }

  /// Whether a case has asked for a program in vain; it need not be asked again.
  boolean wasMissed(ProgramHash hash) {
    return missing.remove(hash);
  }

  /// Null when it is not registered and no document of the store gives it.
  @Nullable Program find(ProgramHash hash) {
    Program known = byHash.get(hash);
    if (known != null || missing.contains(hash)) {
      return known;
    }
    Bytes source = store.program(hash).map(StoredProgram::source).orElse(Bytes.of());
    Program read = source.length() == 0 ? null : read(hash, source);
    if (read == null) {
      missing.add(hash);
      return null;
    }
    byHash.put(hash, read);
    return read;
  }

  private @Nullable Program read(ProgramHash hash, Bytes source) {
    try {
      Program program = reader.read(source).map(Compiler::compile).orElse(null);
      return program != null && program.hash().equals(hash) ? program : null;
    } catch (RuntimeException e) { // a document of another version; its cases wait, visibly
      System.getLogger(Engine.class.getName())
          .log(System.Logger.Level.WARNING, "the document of program " + hash + " is not read", e);
      return null;
    }
  }
}

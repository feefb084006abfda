package dev.damask.testkit;

import dev.damask.cases.Engine;
import dev.damask.compile.Compiler;
import dev.damask.exec.Machine;
import dev.damask.history.CaseFile;
import dev.damask.history.History;
import dev.damask.history.PastState;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.term.Workflow;
import dev.damask.value.Decoder.DamagedBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// A case of a store in a file, which is repeated with the present code of its workflow. It finds
/// out whether task functions still do what they did in that case.
///
/// ```
/// RecordedCase.save(engine, "order-17", file);
/// RecordedCase.load(file).requireSame(orderWorkflow);
/// ```
///
/// `damask show ID --as recording -o FILE` writes the same file.
public final class RecordedCase {
  private final CaseFile file;

  private RecordedCase(CaseFile file) {
    this.file = file;
  }

  /// Writes a case of an engine to a file. Throws `IllegalArgumentException` if the case does not
  /// exist.
  public static void save(Engine engine, String caseId, Path to) {
    try {
      Files.write(to, engine.history(caseId).file().encode());
    } catch (IOException e) {
      throw new UncheckedIOException(to + ": the recording cannot be written", e);
    }
  }

  /// Reads a file. Throws `IllegalArgumentException` if it is not a recording.
  public static RecordedCase load(Path from) {
    try {
      return new RecordedCase(CaseFile.decode(Files.readAllBytes(from)));
    } catch (IOException e) {
      throw new UncheckedIOException(from + ": the recording cannot be read", e);
    } catch (DamagedBytes e) {
      throw new IllegalArgumentException(from + ": " + e.getMessage(), e);
    }
  }

  /// Returns the history of the case. Its states between two commits are computed with the given
  /// workflows, which must have the programs of the case.
  public History history(Workflow<?, ?>... workflows) {
    Map<ProgramHash, Program> programs = new HashMap<>();
    for (Workflow<?, ?> each : workflows) {
      Program program = Compiler.compile(each.definition());
      programs.put(program.hash(), program);
    }
    return new History(
        file,
        file.record(),
        (hash, scheduler, tracer) -> {
          Program program = programs.get(hash);
          if (program == null) {
            throw new IllegalStateException(
                "case %s: it belongs to program %s, the workflows compile to %s"
                    .formatted(file.record().caseId(), hash, programs.keySet()));
          }
          return new Machine(
              program, new Machine.Options(scheduler, program.limits(), false, tracer));
        });
  }

  /// Repeats the case. Throws `AssertionError` with the place of the first difference.
  public void requireSame(Workflow<?, ?>... workflows) {
    Optional<PastState.Divergence> found = history(workflows).replay();
    if (found.isPresent()) {
      throw new AssertionError(
          "case %s does something else before revision %d, after input %d, at %s: %s"
              .formatted(
                  file.record().caseId(),
                  found.get().revision(),
                  found.get().entry(),
                  found.get().place(),
                  found.get().sentence()));
    }
  }
}

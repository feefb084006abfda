package dev.damask.ops;

import dev.damask.description.Description;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import java.util.Optional;

/// The descriptions of workflows that are written in Java, as rows of the store's table. A row has
/// the program hash as its key. With it, a case can be shown and drawn by a process that does not
/// have the code.
public final class DescriptionRows {
  /// The kind of the rows.
  public static final String KIND = "description";

  private DescriptionRows() {}

  /// A workflow that was read from its description.
  ///
  /// @param program has the hash of the original; its functions are opaque, so no case runs with it
  public record Described(WorkflowDefinition workflow, Program program) {}

  /// Returns the row of a workflow.
  public static TableRow row(WorkflowDefinition workflow, ProgramHash hash) {
    return new TableRow(KIND, hash.toString(), 1, Bytes.of(Description.of(workflow)));
  }

  /// Returns the description of a program; empty if the store has none that this version reads.
  public static Optional<Described> find(Store store, ProgramHash hash) {
    return store.table().latest(KIND, hash.toString()).flatMap(row -> read(row, hash));
  }

  private static Optional<Described> read(TableRow row, ProgramHash hash) {
    try {
      WorkflowDefinition workflow = Description.read(row.value().toArray());
      Program program = Description.compile(workflow);
      return program.hash().equals(hash)
          ? Optional.of(new Described(workflow, program))
          : Optional.empty();
    } catch (Decoder.DamagedBytes e) {
      System.getLogger(DescriptionRows.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "the description of program {0} is not read: {1}",
              hash,
              e.getMessage());
      return Optional.empty();
    }
  }
}

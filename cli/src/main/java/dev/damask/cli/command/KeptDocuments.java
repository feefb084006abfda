package dev.damask.cli.command;

import dev.damask.api.StoredDocuments;
import dev.damask.check.Nearest;
import dev.damask.document.LoadedDocument;
import dev.damask.ops.DescriptionRows;
import dev.damask.ops.SourceReader;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.Store;
import dev.damask.store.StoredProgram;
import dev.damask.value.Bytes;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The workflow documents that a store contains, by program. Each is loaded once.
public final class KeptDocuments implements SourceReader {
  private final Store store;
  private final StoredDocuments documents;

  /// Creates the documents of a store.
  ///
  /// @param given a document that the command has loaded; null for none
  public KeptDocuments(Store store, @Nullable LoadedDocument given) {
    this.store = store;
    this.documents = new StoredDocuments(store, given);
  }

  /// Returns the document of a program; empty if no stored document compiles to it.
  public Optional<LoadedDocument> find(ProgramHash hash) {
    return documents.find(hash);
  }

  /// Returns the workflow of a program: from its document, or from its description if it is written
  /// in Java; empty if the store has neither.
  public Optional<KnownWorkflow> workflow(ProgramHash hash) {
    return find(hash)
        .map(KnownWorkflow::of)
        .or(() ->
            DescriptionRows.find(store, hash)
                .map(each -> new KnownWorkflow(each.workflow(), each.program(), null)));
  }

  /// Returns the workflow of a name such as `order`, or `order@HASH` with the first characters of
  /// the program hash. Throws [Refusal] if the store has none, or several versions.
  public KnownWorkflow named(String name) {
    int mark = name.indexOf('@');
    String workflow = mark < 0 ? name : name.substring(0, mark);
    String version = mark < 0 ? "" : name.substring(mark + 1);
    List<StoredProgram> all = store.programs();
    List<KnownWorkflow> found =
        all.stream()
            .filter(each -> each.name().equals(workflow))
            .filter(each -> each.hash().toString().startsWith(version))
            .sorted(Comparator.comparing(each -> each.hash().toString()))
            .flatMap(each -> workflow(each.hash()).stream())
            .toList();
    List<String> names = all.stream().map(StoredProgram::name).distinct().toList();
    requireOne(name, found.stream().map(KeptDocuments::hash).toList(), names);
    return found.getFirst();
  }

  /// Throws [Refusal] unless a name such as `order@HASH` means one version.
  ///
  /// @param found the hashes of the versions that it means, in order
  /// @param names all workflows
  static void requireOne(String name, List<String> found, List<String> names) {
    int mark = name.indexOf('@');
    String workflow = mark < 0 ? name : name.substring(0, mark);
    if (found.isEmpty()) {
      throw new Refusal(
          "the store has no workflow '%s'; %s".formatted(name, Nearest.hint(workflow, names)));
    }
    if (found.size() > 1) {
      throw new Refusal(
          "the store has %d versions of workflow %s: %s; name one as %s@%s"
              .formatted(
                  found.size(), workflow, String.join(", ", found), workflow, found.getFirst()));
    }
  }

  private static String hash(KnownWorkflow known) {
    return known.program().hash().toString();
  }

  @Override
  public Optional<Program> read(Bytes source) {
    return documents.read(source);
  }
}

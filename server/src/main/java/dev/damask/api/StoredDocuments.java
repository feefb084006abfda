package dev.damask.api;

import dev.damask.document.DocumentProblem;
import dev.damask.document.DocumentSource;
import dev.damask.document.LoadedDocument;
import dev.damask.ops.SourceReader;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.Store;
import dev.damask.store.StoredProgram;
import dev.damask.value.Bytes;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The workflow documents that a store contains, by program. Each is loaded once.
public final class StoredDocuments implements SourceReader {
  private final Function<ProgramHash, Optional<StoredProgram>> programs;
  private final Map<Bytes, LoadedDocument> loaded = new ConcurrentHashMap<>(); // read by shards

  /// Creates the documents of a store.
  ///
  /// @param given a document that the command has loaded; null for none
  public StoredDocuments(Store store, @Nullable LoadedDocument given) {
    this(store::program);
    if (given != null) {
      loaded.put(given.bytes(), given);
    }
  }

  /// Creates the documents of stored programs.
  public StoredDocuments(Function<ProgramHash, Optional<StoredProgram>> programs) {
    this.programs = programs;
  }

  /// Returns the document of a program; empty if no stored document compiles to it.
  public Optional<LoadedDocument> find(ProgramHash hash) {
    StoredProgram kept = programs.apply(hash).orElse(null);
    if (kept == null || kept.source().length() == 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(load(kept.source())).filter(each -> each.program().hash().equals(hash));
    } catch (DocumentProblem e) {
      return Optional.empty(); // written for a version that read documents differently
    }
  }

  @Override
  public Optional<Program> read(Bytes source) {
    return Optional.of(load(source).program());
  }

  private LoadedDocument load(Bytes source) {
    return loaded.computeIfAbsent(
        source,
        bytes -> LoadedDocument.loadStored(DocumentSource.parse("the stored document", bytes)));
  }
}

package dev.damask.cli.run;

import dev.damask.cases.Engine;
import dev.damask.cli.command.Documents;
import dev.damask.cli.command.RecordingFile;
import dev.damask.cli.command.Refusal;
import dev.damask.document.DocumentKind;
import dev.damask.document.DocumentProblem;
import dev.damask.document.LoadedDocument;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// Workflow documents that are registered, and registered again when their files change.
final class WatchedDocuments {
  private final List<Path> paths;
  private final Map<Path, FileTime> seen = new HashMap<>();

  WatchedDocuments(List<Path> paths) {
    this.paths = List.copyOf(paths);
  }

  /// Registers the documents that are new or have changed.
  ///
  /// @param messages receives one line about each document that was registered or is invalid
  /// @param isFirst whether an invalid document is a [Refusal]
  void load(Engine engine, Consumer<String> messages, boolean isFirst) {
    for (Path file : files()) {
      try {
        FileTime changed = Files.getLastModifiedTime(file);
        if (changed.equals(seen.put(file, changed))) {
          continue;
        }
        register(engine, file, isFirst ? _ -> {} : messages);
      } catch (DocumentProblem | IllegalArgumentException e) {
        if (isFirst) {
          throw new Refusal(String.valueOf(e.getMessage()));
        }
        messages.accept(String.valueOf(e.getMessage()));
      } catch (IOException e) {
        if (isFirst) {
          throw new Refusal(file + ": " + RecordingFile.unreadable(file, e));
        }
        messages.accept(file + ": " + RecordingFile.unreadable(file, e));
      }
    }
  }

  private static void register(Engine engine, Path file, Consumer<String> messages) {
    Optional<LoadedDocument> loaded = Documents.load(file);
    if (loaded.isEmpty()) {
      return;
    }
    LoadedDocument document = loaded.get();
    engine.register(document.workflow(), document.program(), document.bytes());
    document
        .document()
        .schedule()
        .ifPresent(each ->
            engine
                .schedules()
                .put(
                    document.workflow().name(),
                    each.schedule(),
                    document.workflow(),
                    each.input()));
    messages.accept("registered " + document.workflow().name() + " from " + file);
  }

  private List<Path> files() {
    List<Path> all = new ArrayList<>();
    for (Path path : paths) {
      if (!Files.isDirectory(path)) {
        all.add(path);
        continue;
      }
      try (Stream<Path> below = Files.walk(path)) {
        below.filter(WatchedDocuments::isWorkflow).sorted().forEach(all::add);
      } catch (IOException | UncheckedIOException e) {
        throw new Refusal(path + ": cannot be listed: " + e.getMessage());
      }
    }
    return all;
  }

  private static boolean isWorkflow(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    boolean isText = name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json");
    try {
      return isText && Files.isRegularFile(file) && DocumentKind.of(file) == DocumentKind.WORKFLOW;
    } catch (DocumentProblem e) {
      return true; // reported when it is registered
    }
  }
}

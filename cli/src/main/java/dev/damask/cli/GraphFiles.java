package dev.damask.cli;

import dev.damask.orchestration.Orchestration;
import dev.damask.orchestration.Rejected;
import dev.damask.term.Workflow;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Graph documents and the rules beside them, as files.
final class GraphFiles {
  private static final String SUFFIX = ".json";
  private static final long BYTES_MAX = 16L * 1_024 * 1_024;

  private GraphFiles() {}

  /// Whether a file is a graph document and not a workflow.
  static boolean isGraph(Path file) {
    return file.toString().endsWith(SUFFIX)
        && Files.isRegularFile(file)
        && Orchestration.isGraph(text(file));
  }

  /// Whether a file is there and of a kind that graph documents do not have.
  static boolean isOther(Path file) {
    return Files.isRegularFile(file) && !file.toString().endsWith(SUFFIX);
  }

  /// A graph with the rules of a folder: each file `KEY.json` is the rule `KEY`.
  static Orchestration read(Path graph, @Nullable Path rules) {
    Map<String, String> texts = new TreeMap<>();
    if (rules != null) {
      try (Stream<Path> files = Files.list(rules)) {
        List<Path> found = files.filter(each -> each.toString().endsWith(SUFFIX)).toList();
        found.forEach(each -> texts.put(key(each), text(each)));
      } catch (IOException e) {
        throw new Refusal(rules + ": the folder of rules cannot be read");
      }
    }
    return new Orchestration(text(graph), texts);
  }

  /// What a graph is lowered to; a mistake is named with its line.
  static Workflow workflow(Path graph) {
    try {
      return read(graph, null).workflow();
    } catch (Rejected e) {
      throw new Refusal(graph + ": " + e.getMessage());
    }
  }

  static String key(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
  }

  static String text(Path file) {
    try {
      if (Files.size(file) > BYTES_MAX) {
        throw new Refusal(file + ": the file has more than " + BYTES_MAX + " bytes");
      }
      return Files.readString(file);
    } catch (MalformedInputException e) {
      throw new Refusal(file + ": the file is not UTF-8");
    } catch (IOException e) {
      throw new Refusal(file + ": the file cannot be read");
    }
  }
}

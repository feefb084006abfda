package dev.damask.cli.command;

import dev.damask.check.Diagnostic;
import dev.damask.document.DocumentSource;
import dev.damask.registry.Bundle;
import dev.damask.registry.Orchestration;
import dev.damask.source.Rejected;
import dev.damask.term.WorkflowDefinition;
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
public final class GraphFiles {
  private static final String SUFFIX = ".json";
  private static final long BYTES_MAX = 16L * 1_024 * 1_024;

  private GraphFiles() {}

  /// Whether a file is a graph document or a bundle of them, and not a workflow.
  public static boolean isGraph(Path file) {
    return file.toString().endsWith(SUFFIX) && Files.isRegularFile(file) && isGraphText(text(file));
  }

  /// The same for a file that was parsed before.
  public static boolean isGraph(Path file, DocumentSource source) {
    return file.toString().endsWith(SUFFIX) && (source.has("structure") || source.has("bundles"));
  }

  private static boolean isGraphText(String text) {
    return Orchestration.isGraph(text) || Bundle.isBundle(text);
  }

  /// Whether a file exists and is of a kind that graph documents do not have.
  public static boolean isOther(Path file) {
    return Files.isRegularFile(file) && !file.toString().endsWith(SUFFIX);
  }

  /// The orchestrations of a file: those of a bundle by their ids, or one graph with the rules of a
  /// directory, where each file `KEY.json` is the rule `KEY`.
  public static Map<String, Orchestration> readAll(Path file, @Nullable Path rules) {
    String text = text(file);
    if (!Bundle.isBundle(text)) {
      return Map.of("", read(file, rules));
    }
    if (rules != null) {
      throw new Refusal(
          "--rules requires a graph document; " + file + " is a bundle with its rules");
    }
    try {
      return Bundle.read(text).orchestrations();
    } catch (Rejected e) {
      throw new Refusal(described(file, null, e.errors()));
    }
  }

  /// One orchestration of a file.
  ///
  /// @param bundle the id of the bundle; null when there is only one, or only one with the entry
  /// @param entry the first step; null when it is not known
  public static Orchestration read(
      Path file, @Nullable Path rules, @Nullable String bundle, @Nullable String entry) {
    Map<String, Orchestration> all = readAll(file, rules);
    if (bundle != null && !all.containsKey(bundle)) {
      throw new Refusal(file + ": no bundle '" + bundle + "'; it contains " + all.keySet());
    }
    if (bundle != null) {
      return java.util.Objects.requireNonNull(all.get(bundle));
    }
    List<Orchestration> meant =
        all.values().stream()
            .filter(each -> all.size() == 1 || entry == null || each.steps().contains(entry))
            .toList();
    if (meant.size() != 1) {
      throw new Refusal(file + ": several bundles " + all.keySet() + "; select one with --bundle");
    }
    return meant.getFirst();
  }

  /// Returns the first of several diagnostics with its file, and the number of the others.
  public static String described(Path file, @Nullable Path rules, List<Diagnostic> errors) {
    return described(file, rules, errors.getFirst()) + Diagnostic.more(errors);
  }

  /// A diagnostic with the file it is about: a rule has its own file, unless it is in a bundle.
  public static String described(Path file, @Nullable Path rules, Diagnostic diagnostic) {
    Path source =
        rules == null || diagnostic.source().isEmpty()
            ? file
            : rules.resolve(diagnostic.source() + SUFFIX);
    return diagnostic.in(source.toString(), diagnostic.path()).toString();
  }

  /// Returns a graph with the rules of a directory: each file `KEY.json` is the rule `KEY`.
  public static Orchestration read(Path graph, @Nullable Path rules) {
    Map<String, String> texts = new TreeMap<>();
    if (rules != null) {
      try (Stream<Path> files = Files.list(rules)) {
        List<Path> found = files.filter(each -> each.toString().endsWith(SUFFIX)).toList();
        found.forEach(each -> texts.put(key(each), text(each)));
      } catch (IOException e) {
        throw new Refusal(rules + ": the directory of rules cannot be read");
      }
    }
    return new Orchestration(text(graph), texts);
  }

  /// What a graph is lowered to; a mistake is named with its line.
  public static WorkflowDefinition workflow(
      Path graph, @Nullable Path rules, @Nullable String bundle) {
    try {
      return read(graph, rules, bundle, null).workflow();
    } catch (Rejected e) {
      throw new Refusal(graph + ": " + e.getMessage());
    }
  }

  public static String key(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
  }

  public static String text(Path file) {
    try {
      if (Files.size(file) > BYTES_MAX) {
        throw new Refusal(file + ": the file has more than " + BYTES_MAX + " bytes");
      }
      return Files.readString(file);
    } catch (MalformedInputException e) {
      throw new Refusal(file + ": the file is not UTF-8");
    } catch (IOException e) {
      throw new Refusal(file + ": " + RecordingFile.unreadable(file, e));
    }
  }
}

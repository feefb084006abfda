package dev.damask.document;

import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.JsonProblem;
import dev.damask.json.JsonReader;
import dev.damask.json.Position;
import dev.damask.json.TreeBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// Parses files, bytes and texts into trees. It decides between JSON and YAML, and rejects input
/// that is too large or not UTF-8 before a parser reads it.
final class DocumentTree {
  private DocumentTree() {}

  static Json read(Path file, JsonLimits limits) {
    return read(file.toString(), bytes(file, limits), limits);
  }

  static byte[] bytes(Path file, JsonLimits limits) {
    String name = file.toString();
    try (InputStream in = Files.newInputStream(file)) {
      long size = Files.size(file);
      if (size > limits.documentBytes()) {
        throw tooLarge(name, size, limits);
      }
      return in.readNBytes(limits.documentBytes() + 1);
    } catch (IOException e) {
      throw name.isEmpty()
          ? problem("", "the name of the file is empty")
          : problem(name, "the file " + why(file, e));
    }
  }

  private static String why(Path file, IOException e) {
    if (Files.isDirectory(file)) {
      return "is a directory";
    }
    if (Files.isSymbolicLink(file)) {
      return "is a symbolic link to a file that does not exist";
    }
    return switch (e) {
      case AccessDeniedException _ -> "cannot be read: access denied";
      default -> Files.exists(file) ? "cannot be read" : "does not exist";
    };
  }

  static Json read(String name, byte[] bytes, JsonLimits limits) {
    if (bytes.length > limits.documentBytes()) {
      throw tooLarge(name, bytes.length, limits);
    }
    return parse(name, decode(name, bytes), limits);
  }

  static Json read(String name, String text, JsonLimits limits) {
    if (text.length() > limits.documentBytes()) {
      throw tooLarge(name, text.length(), limits);
    }
    return parse(name, text, limits);
  }

  private static Json parse(String name, String text, JsonLimits limits) {
    try {
      return isJson(name, text)
          ? new JsonReader(limits).read(text)
          : YamlTree.read(text, new TreeBuilder(limits), limits);
    } catch (JsonProblem e) {
      throw problem(name, e);
    }
  }

  /// Returns whether a string is JSON: by the extension of the name, otherwise by its first
  /// characters.
  private static boolean isJson(String name, String text) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.endsWith(".json")) {
      return true;
    }
    if (lower.endsWith(".yaml") || lower.endsWith(".yml")) {
      return false;
    }
    int first = afterSpace(text, 0);
    if (first == text.length() || (text.charAt(first) != '{' && text.charAt(first) != '[')) {
      return false;
    }
    int second = afterSpace(text, first + 1);
    return second < text.length() && "\"{[}]".indexOf(text.charAt(second)) >= 0;
  }

  private static int afterSpace(String text, int from) {
    int at = from;
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return at;
  }

  private static String decode(String name, byte[] bytes) {
    try {
      return JsonReader.decode(bytes);
    } catch (JsonProblem e) {
      throw problem(name, e);
    }
  }

  private static DocumentProblem tooLarge(String name, long size, JsonLimits limits) {
    return problem(
        name, "a document must have at most " + limits.documentBytes() + " bytes, got " + size);
  }

  static DocumentProblem problem(String name, String message) {
    return problem(name, new JsonProblem(Position.NONE, "", message));
  }

  private static DocumentProblem problem(String name, JsonProblem e) {
    return new DocumentProblem(
        List.of(DocumentProblem.error(name, e.path(), e.at(), e.sentence())));
  }
}

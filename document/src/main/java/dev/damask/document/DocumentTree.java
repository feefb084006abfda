package dev.damask.document;

import dev.damask.document.DocumentProblem.Finding;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// Turns files, bytes and texts into trees: decides between JSON and YAML, and refuses what is too
/// large or not UTF-8 before any parser sees it.
final class DocumentTree {
  private DocumentTree() {}

  static DocumentNode read(Path file, DocumentLimits limits) {
    String name = file.toString();
    try (InputStream in = Files.newInputStream(file)) {
      long size = Files.size(file);
      if (size > limits.documentBytes()) {
        throw tooLarge(name, size, limits);
      }
      return read(name, in.readNBytes(limits.documentBytes() + 1), limits);
    } catch (IOException e) {
      String why =
          Files.isDirectory(file)
              ? "is a directory"
              : Files.exists(file) ? "cannot be read" : "does not exist";
      throw problem(name, 1, "the file " + why);
    }
  }

  static DocumentNode read(String name, byte[] bytes, DocumentLimits limits) {
    if (bytes.length > limits.documentBytes()) {
      throw tooLarge(name, bytes.length, limits);
    }
    return parse(name, decode(name, bytes), limits);
  }

  static DocumentNode read(String name, String text, DocumentLimits limits) {
    if (text.length() > limits.documentBytes()) {
      throw tooLarge(name, text.length(), limits);
    }
    return parse(name, text, limits);
  }

  private static DocumentNode parse(String name, String text, DocumentLimits limits) {
    TreeBuilder builder = new TreeBuilder(name, limits);
    return isJson(name, text)
        ? JsonTree.read(text, builder, limits)
        : YamlTree.read(text, builder, limits);
  }

  /// The name decides; without a telling name, a text that begins as only JSON is written does.
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
    String hint = "; save the file as UTF-8 without a byte order mark";
    if (startsWith(bytes, 0xEF, 0xBB, 0xBF)) {
      throw problem(name, 1, "the file begins with a byte order mark" + hint);
    }
    boolean zeros = bytes.length > 1 && (bytes[0] == 0 || bytes[1] == 0);
    if (startsWith(bytes, 0xFE, 0xFF) || startsWith(bytes, 0xFF, 0xFE) || zeros) {
      throw problem(name, 1, "the file is UTF-16 or UTF-32" + hint);
    }
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    CoderResult result = decoder.decode(in, out, true);
    if (result.isError()) {
      int line = 1;
      for (int i = 0; i < in.position(); i++) {
        line += bytes[i] == '\n' ? 1 : 0;
      }
      throw problem(name, line, "byte " + in.position() + " is not UTF-8");
    }
    return out.flip().toString();
  }

  private static boolean startsWith(byte[] bytes, int... start) {
    for (int i = 0; i < start.length; i++) {
      if (i >= bytes.length || (bytes[i] & 0xFF) != start[i]) {
        return false;
      }
    }
    return true;
  }

  private static DocumentProblem tooLarge(String name, long size, DocumentLimits limits) {
    return problem(
        name, 1, "a document has at most " + limits.documentBytes() + " bytes, found " + size);
  }

  private static DocumentProblem problem(String name, int line, String message) {
    return new DocumentProblem(List.of(new Finding(name, "", new Position(line, 1), message)));
  }
}

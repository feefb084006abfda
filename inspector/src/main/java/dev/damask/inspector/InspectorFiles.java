package dev.damask.inspector;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/// The files of the inspector's web page. Only the names of a fixed list exist, so a path from a
/// request can reach nothing else.
///
/// All methods may be called by any thread.
public final class InspectorFiles {
  /// The content security policy that every file must be served with.
  public static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final String PAGE = "index.html";
  private static final String SESSION_PAGE = PAGE + " of a session"; // no name of a file

  /// Names relative to the page. A test compares them with the resources of this module.
  static final List<String> NAMES =
      List.of(
          PAGE,
          "act.js",
          "api.js",
          "app.js",
          "case.js",
          "cases.js",
          "dom.js",
          "drawing.js",
          "finder.js",
          "forms.js",
          "health.js",
          "icon.svg",
          "incidents.js",
          "inspector.css",
          "migration.js",
          "pages.css",
          "panels.js",
          "past.js",
          "place.js",
          "playground.js",
          "proof.js",
          "schedules.js",
          "sessions.js",
          "signin.js",
          "source.js",
          "storage.js",
          "timeline.js",
          "tree.js",
          "values.js",
          "words.js",
          "workflow.js",
          "workflows.js");

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml");

  // Filled by the first reader of each file, read by any thread.
  private static final Map<String, File> READ = new ConcurrentHashMap<>();

  /// One file.
  ///
  /// @param bytes the content; callers must not change it
  /// @param type the value of `Content-Type`
  /// @param etag a quoted entity tag of the content
  @SuppressWarnings("ArrayRecordComponent") // compared by its tag, never by its bytes
  public record File(byte[] bytes, String type, String etag) {}

  private InspectorFiles() {}

  /// Returns the page for an application that knows its users itself: it asks for no token and
  /// sends the cookies of the session.
  public static File pageOfSession() {
    return READ.computeIfAbsent(SESSION_PAGE, _ -> read(PAGE, InspectorFiles::ofSession));
  }

  private static byte[] ofSession(byte[] page) {
    String text = new String(page, StandardCharsets.UTF_8);
    return text.replaceFirst("<html ", "<html data-access=\"session\" ")
        .getBytes(StandardCharsets.UTF_8);
  }

  /// Returns a file by its path relative to the page; the empty path is the page. Returns empty if
  /// there is no such file.
  public static Optional<File> find(String path) {
    String name = path.isEmpty() ? PAGE : path;
    return NAMES.contains(name)
        ? Optional.of(READ.computeIfAbsent(name, each -> read(each, UnaryOperator.identity())))
        : Optional.empty();
  }

  private static File read(String name, UnaryOperator<byte[]> change) {
    try (InputStream in = InspectorFiles.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("inspector: file " + name + " is missing");
      }
      byte[] bytes = change.apply(in.readAllBytes());
      String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "text/plain");
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return new File(bytes, type, '"' + HexFormat.of().formatHex(hash, 0, 12) + '"');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}

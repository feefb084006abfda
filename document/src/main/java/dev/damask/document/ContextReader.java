package dev.damask.document;

import dev.damask.json.Json;
import dev.damask.json.Json.Fields;
import dev.damask.json.JsonLimits;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.List;

/// Reads the context that a case is started with: one object in JSON or YAML, within the limits of
/// documents.
public final class ContextReader {
  private final JsonLimits limits;

  /// Creates a reader with the limits of documents.
  public ContextReader() {
    this(JsonLimits.DEFAULT);
  }

  /// Creates a reader with these limits.
  public ContextReader(JsonLimits limits) {
    this.limits = limits;
  }

  /// Reads a file.
  public Context read(Path file) {
    return context(file.toString(), DocumentTree.read(file, limits));
  }

  /// Reads a string. The name appears in messages, and its extension may distinguish JSON from
  /// YAML.
  public Context read(String name, String text) {
    return context(name, DocumentTree.read(name, text, limits));
  }

  private static Context context(String name, Json root) {
    if (root instanceof Fields fields) {
      return Context.from(FieldReader.map(fields));
    }
    String message = "expected an object such as {\"n\": 1}, found " + Expected.shown(root);
    throw new DocumentProblem(List.of(DocumentProblem.error(name, "", root.at(), message)));
  }
}

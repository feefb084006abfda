package dev.damask.document;

import dev.damask.document.DocumentNode.Fields;
import dev.damask.document.DocumentProblem.Finding;
import dev.damask.task.Context;
import java.nio.file.Path;
import java.util.List;

/// Reads the context somebody starts a case with: one object, in JSON or YAML, within the limits of
/// documents.
public final class ContextReader {
  private final DocumentLimits limits;

  public ContextReader() {
    this(DocumentLimits.DEFAULT);
  }

  public ContextReader(DocumentLimits limits) {
    this.limits = limits;
  }

  public Context read(Path file) {
    return context(file.toString(), DocumentTree.read(file, limits));
  }

  /// Reads a text; the name appears in messages, and its ending may tell JSON from YAML.
  public Context read(String name, String text) {
    return context(name, DocumentTree.read(name, text, limits));
  }

  private static Context context(String name, DocumentNode root) {
    if (root instanceof Fields fields) {
      return Context.from(FieldReader.map(fields));
    }
    String message = "expected an object such as {\"n\": 1}, found " + Expected.shown(root);
    throw new DocumentProblem(List.of(new Finding(name, "", root.at(), message)));
  }
}

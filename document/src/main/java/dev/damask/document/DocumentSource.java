package dev.damask.document;

import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.value.Bytes;
import java.nio.file.Path;

/// A document that has been read and parsed but not interpreted.
///
/// @param name the name of the file, for messages
/// @param bytes the text as it was read
/// @param root the tree of the text
public record DocumentSource(String name, Bytes bytes, Json root) {
  /// Reads and parses a file. Throws [DocumentProblem] if it is neither YAML nor JSON.
  public static DocumentSource read(Path file) {
    return read(file, JsonLimits.DEFAULT);
  }

  static DocumentSource read(Path file, JsonLimits limits) {
    byte[] bytes = DocumentTree.bytes(file, limits);
    return new DocumentSource(
        file.toString(), Bytes.of(bytes), DocumentTree.read(file.toString(), bytes, limits));
  }

  /// Parses bytes. The extension of the name may distinguish JSON from YAML.
  public static DocumentSource parse(String name, Bytes bytes) {
    return new DocumentSource(
        name, bytes, DocumentTree.read(name, bytes.toArray(), JsonLimits.DEFAULT));
  }

  /// Returns whether the document is an object with this key.
  public boolean has(String key) {
    return root instanceof Json.Fields fields && fields.get(key) != null;
  }
}

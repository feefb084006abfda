package dev.damask.document;

import java.util.List;
import java.util.Map;

/// A document as a plain tree, the same for YAML and JSON. Every node knows where it stands.
sealed interface DocumentNode {
  Position at();

  record Text(Position at, String value) implements DocumentNode {}

  /// A number: a long, a double, or a decimal when neither holds it.
  record Numeral(Position at, Number value) implements DocumentNode {}

  record Flag(Position at, boolean value) implements DocumentNode {}

  record Empty(Position at) implements DocumentNode {}

  record Items(Position at, List<DocumentNode> items) implements DocumentNode {}

  /// An object.
  ///
  /// @param keys where each key stands, in the order of the fields
  record Fields(Position at, Map<String, DocumentNode> fields, List<Position> keys)
      implements DocumentNode {
    static Fields none(Position at) {
      return new Fields(at, Map.of(), List.of());
    }

    /// Where a key stands.
    Position keyAt(String name) {
      int index = 0;
      for (String key : fields.keySet()) {
        if (key.equals(name)) {
          return keys.get(index);
        }
        index++;
      }
      return at;
    }
  }

  /// What a person would call it.
  default String kind() {
    return switch (this) {
      case Text text -> "text";
      case Numeral numeral -> "a number";
      case Flag flag -> "a boolean";
      case Empty empty -> "null";
      case Items items -> "a list";
      case Fields fields -> "an object";
    };
  }
}

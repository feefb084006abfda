package dev.damask.term;

import java.nio.charset.StandardCharsets;

/// The rule for the names of tasks, scopes, places, definitions and nodes.
final class Names {
  static final int BYTES_MAX = 128;

  private Names() {}

  /// Returns the name, or refuses one that is empty, too long, or has control characters.
  static String require(String what, String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException(what + " needs a name");
    }
    return allow(what, name);
  }

  /// Like [#require], but a name may be missing.
  static String allow(String what, String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > BYTES_MAX) {
      throw new IllegalArgumentException(
          what + ": a name has at most " + BYTES_MAX + " bytes, got " + bytes);
    }
    for (int i = 0; i < name.length(); i++) {
      if (Character.isISOControl(name.charAt(i))) {
        throw new IllegalArgumentException(
            what + ": a name has no control characters, got one at index " + i);
      }
    }
    return name;
  }
}

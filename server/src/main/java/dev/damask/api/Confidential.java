package dev.damask.api;

import org.jspecify.annotations.Nullable;

/// Data of a case in an answer. [AnswerRedaction] replaces the values of keys that the workflow
/// redacts, at any depth.
///
/// @param workflow whose declaration counts
/// @param key the key that the value is under; empty if the value is a whole context
public record Confidential(String workflow, String key, @Nullable Object value) {
  /// Creates the data of a whole context.
  public static Confidential of(String workflow, dev.damask.value.Context context) {
    return new Confidential(workflow, "", context.toMap());
  }
}

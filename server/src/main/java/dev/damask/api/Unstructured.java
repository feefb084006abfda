package dev.damask.api;

import org.jspecify.annotations.Nullable;

/// Data of a case that has no keys, such as the detail of a failure: it may contain any value of
/// the case. [AnswerRedaction] replaces it as a whole if the workflow redacts a key.
///
/// @param workflow whose declaration counts; empty for data that no declaration describes, which
///   only callers with the right to redacted values see
/// @param value null and empty text are shown as they are
public record Unstructured(String workflow, @Nullable Object value) {}

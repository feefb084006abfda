package dev.damask.api;

import org.jspecify.annotations.Nullable;

/// The value of an attribute of a case in an answer. [AnswerRedaction] replaces it if the attribute
/// has the name of a redacted key or is computed from one.
///
/// @param workflow whose declaration counts
/// @param name of the attribute
public record ConfidentialAttribute(String workflow, String name, @Nullable Object value) {}

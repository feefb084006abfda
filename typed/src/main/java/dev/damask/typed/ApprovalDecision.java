package dev.damask.typed;

import org.jspecify.annotations.Nullable;

/// The answer of an approver to an [Steps#approval].
///
/// @param approved whether the answer is yes
/// @param by who decided, `default` when the time was up; null if the answer names no approver
public record ApprovalDecision(boolean approved, @Nullable String by) {}

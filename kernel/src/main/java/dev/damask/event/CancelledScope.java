package dev.damask.event;

import org.jspecify.annotations.Nullable;

/// An activation of a scope or set of instances that was cancelled.
///
/// @param listener the listener that the scope names; null when it names none
public record CancelledScope(String name, @Nullable String listener) {}

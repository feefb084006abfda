package dev.damask.effect;

/// What the store answers to a [PermitNeed].
///
/// @param usable how many calls the node may have in progress
/// @param held how many permits no other node may use; more than `usable` while calls end that
///   another node waits for
public record PermitAnswer(int usable, int held) {}

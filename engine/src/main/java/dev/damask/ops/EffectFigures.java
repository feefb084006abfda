package dev.damask.ops;

/// The handler calls of one effect type since the engine was opened.
///
/// @param calls the calls that have ended, those that were interrupted included
/// @param failed how many of them failed
/// @param duration from the begin of a call until its result
public record EffectFigures(String type, long calls, long failed, Latency duration) {}

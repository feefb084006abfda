package dev.damask.ops;

import java.time.Instant;
import java.util.SortedSet;

/// A worker that has asked this engine for tasks in the last minutes.
///
/// @param types the effect types that it asked for last
/// @param since when it first asked
/// @param seen when it last asked, extended a lease or answered
public record TaskWorker(String name, SortedSet<String> types, Instant since, Instant seen) {}

package dev.damask.ops;

/// How long something took, over all that was counted.
///
/// @param p50Micros half of them took at most about this long, give or take a quarter
/// @param p99Micros the same for 99 of 100
public record Latency(
    long count, long meanMicros, long p50Micros, long p99Micros, long maxMicros) {}

package dev.damask.simulation;

/// What one run did.
///
/// @param hash over all events; equal for equal runs
/// @param counts how often each [Situation] was met
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
record SimulationReport(int events, int commits, int crashes, long hash, int[] counts) {}

package dev.damask.simulation;

/// What one run did.
///
/// @param moments where the process could have died, if the run counts them
/// @param hash over all events; equal for equal runs
/// @param counts how often each [CoveragePoint] was met
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
record SimulationReport(int events, int moments, int crashes, long hash, int[] counts) {}

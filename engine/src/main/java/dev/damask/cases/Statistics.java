package dev.damask.cases;

/// What an engine has done since it was opened.
///
/// @param commits how many revisions of cases became durable
/// @param batches in how many batches
/// @param resident how many cases are in memory
/// @param inbox how many inputs wait
public record Statistics(
    long started,
    long ended,
    long steps,
    long effects,
    long commits,
    long batches,
    long resident,
    long inbox) {}

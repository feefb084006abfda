package dev.damask.session;

/// What one evaluation of a rule costs before it is made.
///
/// @param common everything up to the choice of the branch
/// @param valid a valid evaluation, but for what its children cost while they wait
/// @param invalid the same for an invalid one
public record CostEstimate(long common, long valid, long invalid) {}

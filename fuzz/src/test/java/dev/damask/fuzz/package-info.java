/// Fuzz tests. A normal run replays the corpus in the resources; with `JAZZER_FUZZ=1` one test,
/// named by `-Dtest=Class#method`, looks for new inputs.
@org.jspecify.annotations.NullMarked
package dev.damask.fuzz;

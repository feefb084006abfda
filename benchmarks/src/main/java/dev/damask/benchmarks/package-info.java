/// Measurements of Damask. Each class says what it compares and how to run it.
@org.jspecify.annotations.NullMarked
package dev.damask.benchmarks;

/// Simulation campaigns and linearizability checks of the engine itself. Not published.
@org.jspecify.annotations.NullMarked
module dev.damask.simulator {
  requires static transitive org.jspecify;
  requires transitive dev.damask.testkit;

  exports dev.damask.linear;
  exports dev.damask.simulation;
}

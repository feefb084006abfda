/// Tests of the engine itself: simulation campaigns, linearizability checks, contracts of stores.
/// Not published.
@org.jspecify.annotations.NullMarked
module dev.damask.simulator {
  requires static transitive org.jspecify;
  requires static transitive org.junit.jupiter.api;
  requires transitive dev.damask.testkit;
  requires transitive java.sql;

  exports dev.damask.contract;
  exports dev.damask.database;
  exports dev.damask.linear;
  exports dev.damask.process;
  exports dev.damask.simulation;
}

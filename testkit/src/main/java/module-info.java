/// What tests of workflows are written with.
@org.jspecify.annotations.NullMarked
module dev.damask.testkit {
  requires static transitive org.jspecify;
  requires static org.junit.jupiter.api;
  requires transitive dev.damask.scenario;

  exports dev.damask.testkit;
}

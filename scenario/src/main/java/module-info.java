/// Scenario documents and the stages that run them: the machine and the engine.
@org.jspecify.annotations.NullMarked
module dev.damask.scenario {
  requires static transitive org.jspecify;
  requires transitive dev.damask.document;
  requires transitive dev.damask.engine;

  exports dev.damask.scenario;
}

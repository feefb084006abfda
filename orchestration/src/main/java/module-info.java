/// Orchestrations: graph documents, rule documents, and the sessions that run them.
@org.jspecify.annotations.NullMarked
module dev.damask.orchestration {
  requires static transitive org.jspecify;
  requires transitive dev.damask.effects.http;
  requires transitive dev.damask.engine;
  requires dev.damask.document;
  requires transitive dev.damask.json;

  exports dev.damask.registry;
  exports dev.damask.session;
  exports dev.damask.source;

  // Test plans: for the command line only.
  exports dev.damask.plan to
      dev.damask.cli;

  uses dev.damask.store.StoreProvider;
}

/// Orchestrations: graph documents, rule documents, and the sessions that run them.
@org.jspecify.annotations.NullMarked
module dev.damask.orchestration {
  requires static transitive org.jspecify;
  requires transitive dev.damask.effects.http;
  requires transitive dev.damask.engine;
  requires dev.damask.document;
  requires dev.damask.json;

  exports dev.damask.orchestration;

  uses dev.damask.store.StoreProvider;
}

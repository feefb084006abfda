/// The durable engine: cases that are kept in a store and call external systems through effects.
@org.jspecify.annotations.NullMarked
module dev.damask.engine {
  requires static transitive org.jspecify;
  requires transitive dev.damask.kernel;
  requires transitive dev.damask.nursery;
  requires jdk.jfr;

  exports dev.damask.attribute;
  exports dev.damask.caller;
  exports dev.damask.cases;
  exports dev.damask.clock;
  exports dev.damask.cluster;
  exports dev.damask.effect;
  exports dev.damask.family;
  exports dev.damask.history;
  exports dev.damask.ops;
  exports dev.damask.script;
  exports dev.damask.store;

  uses dev.damask.cases.OwnerService;
  uses dev.damask.store.StoreProvider;
}

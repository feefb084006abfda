/// The durable engine: cases that live in a store and talk to the outside through effects.
@org.jspecify.annotations.NullMarked
module dev.damask.engine {
  requires static transitive org.jspecify;
  requires transitive dev.damask.kernel;
  requires transitive dev.damask.nursery;
  requires jdk.jfr;

  exports dev.damask.cases;
  exports dev.damask.cluster;
  exports dev.damask.effect;
  exports dev.damask.store;

  uses dev.damask.store.StoreProvider;
}

/// Examples. They see of Damask what every user sees.
@org.jspecify.annotations.NullMarked
module dev.damask.examples {
  requires static transitive org.jspecify;
  requires dev.damask.engine;
  requires dev.damask.store.postgres;
  requires dev.damask.store.rocksdb;
  requires dev.damask.typed;

  // Typed workflows read and make the records of the example.
  opens dev.damask.examples.cluster to
      dev.damask.typed;
  opens dev.damask.examples.expense to
      dev.damask.typed;
  opens dev.damask.examples.order to
      dev.damask.typed;
}

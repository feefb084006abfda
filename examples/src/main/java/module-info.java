/// Examples. They see of Damask what every user sees.
@org.jspecify.annotations.NullMarked
module dev.damask.examples {
  requires static transitive org.jspecify;
  requires dev.damask.engine;
  requires dev.damask.store.rocksdb;
}

/// The embedded durable store, based on RocksDB. Requires `--enable-native-access`.
@org.jspecify.annotations.NullMarked
module dev.damask.store.rocksdb {
  requires static transitive org.jspecify;
  requires transitive dev.damask.engine;
  requires rocksdbjni;

  exports dev.damask.store.rocksdb;

  provides dev.damask.store.StoreProvider with
      dev.damask.store.rocksdb.RocksStoreProvider;
}

/// The shared durable store, based on PostgreSQL 15 or later.
@org.jspecify.annotations.NullMarked
module dev.damask.store.postgres {
  requires static transitive org.jspecify;
  requires transitive dev.damask.engine;
  requires transitive java.sql;
  requires dev.damask.json;
  requires java.naming;
  requires org.postgresql.jdbc;

  exports dev.damask.store.postgres;

  provides dev.damask.cluster.ClusterProvider with
      dev.damask.store.postgres.PostgresClusters;
}

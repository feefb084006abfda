package dev.damask.store.postgres;

import dev.damask.cluster.SharedStore;
import dev.damask.cluster.StoreCluster;
import javax.sql.DataSource;

/// A cluster of engines on one PostgreSQL database. Pass it to `Engine.open`: each engine that
/// joins is a node.
///
/// The `DataSource` is used as it is. A node keeps about six of its connections until it is closed.
public final class PostgresCluster implements StoreCluster {
  private final DataSource source;
  private final PostgresOptions options;
  private final boolean isClient;

  private PostgresCluster(DataSource source, PostgresOptions options, boolean isClient) {
    this.source = source;
    this.options = options;
    this.isClient = isClient;
  }

  /// Returns the cluster in schema `damask` of a database.
  public static PostgresCluster of(DataSource source) {
    return of(source, PostgresOptions.DEFAULT);
  }

  /// Returns the cluster that the options name.
  public static PostgresCluster of(DataSource source, PostgresOptions options) {
    return new PostgresCluster(source, options, false);
  }

  /// Returns the same cluster for an engine that owns nothing: it reads cases and sends messages to
  /// their owners, and moves no case itself.
  public PostgresCluster asClient() {
    return new PostgresCluster(source, options, true);
  }

  @Override
  public SharedStore join() {
    return isClient ? ClientStore.open(source, options) : ClusterStore.join(source, options);
  }
}

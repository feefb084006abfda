package dev.damask.peers;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.postgres.PostgresCluster;
import dev.damask.store.postgres.PostgresOptions;
import dev.damask.store.postgres.PostgresSchema;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import javax.sql.DataSource;

/// Damask on PostgreSQL, as the only node of a cluster, on the server that the other peers use.
/// Ended cases stay, as the workflows of DBOS do.
final class DamaskPostgres extends DamaskPeer {
  private final Engine engine;

  DamaskPostgres(DataSource source) {
    super(Path.of(""));
    new PostgresSchema(source, PostgresOptions.DEFAULT).init();
    engine =
        Engine.open(
            EngineOptions.defaults(),
            PostgresCluster.of(source),
            workflows.get(Workload.SEQ5_DURABLE),
            workflows.get(Workload.STEPS5_DURABLE),
            workflows.get(Workload.SIGNAL_DURABLE));
  }

  @Override
  public String title() {
    return "Damask 0.1.0 on PostgreSQL";
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.of(Workload.SEQ5_DURABLE, Workload.STEPS5_DURABLE, Workload.SIGNAL_DURABLE);
  }

  @Override
  Engine open(Workload workload) {
    return engine;
  }
}

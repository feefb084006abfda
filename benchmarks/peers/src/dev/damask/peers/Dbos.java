package dev.damask.peers;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/// DBOS Transact on PostgreSQL: a workflow is a method, a step is durable when it has returned.
final class Dbos implements Peer {

  /// The workflows.
  public interface Flows {
    long sequence(long n);

    long steps(long n) throws Exception;

    String signal();
  }

  /// Their code.
  public static final class Code implements Flows {
    private final DBOS dbos;

    Code(DBOS dbos) {
      this.dbos = dbos;
    }

    @Override
    @Workflow(name = "sequence")
    public long sequence(long n) {
      long sum = n;
      for (int i = 0; i < 5; i++) {
        sum++;
      }
      return sum;
    }

    @Override
    @Workflow(name = "steps")
    public long steps(long n) throws Exception {
      long sum = n;
      for (int i = 0; i < 5; i++) {
        long now = sum;
        sum = dbos.runStep(() -> now + 1, "step" + i);
      }
      return sum;
    }

    @Override
    @Workflow(name = "signal")
    public String signal() {
      return dbos.<String>recv("go", Duration.ofMinutes(1)).orElseThrow();
    }
  }

  private final DBOS dbos;
  private final Flows flows;
  private final AtomicLong ids = new AtomicLong();
  private final String run = Long.toString(System.nanoTime(), 36);

  Dbos(DataSource source) {
    dbos = new DBOS(DBOSConfig.defaults("peers").withDataSource(source).withAppVersion("1"));
    flows = dbos.registerProxy(Flows.class, new Code(dbos));
    dbos.launch();
  }

  @Override
  public String title() {
    return "DBOS 1.1.0-m6";
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.of(Workload.SEQ5_DURABLE, Workload.STEPS5_DURABLE, Workload.SIGNAL_DURABLE);
  }

  @Override
  public void prepare(Workload workload) {}

  @Override
  public void once(Workload workload) throws Exception {
    long result = workload == Workload.SEQ5_DURABLE ? flows.sequence(0) : flows.steps(0);
    if (result != 5) {
      throw new IllegalStateException("a workflow returned " + result);
    }
  }

  @Override
  public String before(Workload workload) {
    String id = run + ids.incrementAndGet();
    dbos.startWorkflow(() -> flows.signal(), new StartWorkflowOptions(id));
    return id;
  }

  @Override
  public void after(Workload workload, String id) throws Exception {
    dbos.send(id, "now", "go");
    dbos.getResult(id);
  }

  @Override
  public void close() {
    dbos.close();
  }
}

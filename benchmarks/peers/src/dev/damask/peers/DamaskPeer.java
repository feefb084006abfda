package dev.damask.peers;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.Run;
import dev.damask.store.MemoryStore;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/// Damask: in memory on its memory store, durable on RocksDB, with the default options but for the
/// retention of ended cases, which would otherwise fill the disk.
class DamaskPeer implements Peer {
  static final Context START = Context.of("n", 0L);

  private final Path directory;
  final Map<Workload, WorkflowDefinition> workflows = new EnumMap<>(Workload.class);
  private final Map<Workload, Engine> engines = new EnumMap<>(Workload.class);
  private final AtomicLong cases = new AtomicLong();

  DamaskPeer(Path directory) {
    this.directory = directory;
    workflows.put(Workload.SEQ5_MEMORY, sequence(Workload.SEQ5_MEMORY));
    workflows.put(Workload.SEQ5_DURABLE, sequence(Workload.SEQ5_DURABLE));
    workflows.put(
        Workload.STEPS5_DURABLE,
        workflow("steps5", step("a"), step("b"), step("c"), step("d"), step("e")));
    var branches = new Term[10];
    for (int i = 0; i < branches.length; i++) {
      branches[i] = task("t" + i, context -> context.with("n", 1L));
    }
    workflows.put(Workload.PAR10_MEMORY, workflow("par10", par(branches)));
    workflows.put(
        Workload.LOOP1000_MEMORY,
        workflow("loop1000", repeat(1_000, task("add", DamaskPeer::add))));
    workflows.put(Workload.SIGNAL_DURABLE, workflow("signal", defer(on("go", skip()))));
  }

  private static WorkflowDefinition sequence(Workload workload) {
    return workflow(
        workload == Workload.SEQ5_MEMORY ? "seq5" : "seq5d",
        task("a", DamaskPeer::add),
        task("b", DamaskPeer::add),
        task("c", DamaskPeer::add),
        task("d", DamaskPeer::add),
        task("e", DamaskPeer::add));
  }

  private static Context add(Context context) {
    return context.with("n", (Long) context.get("n") + 1);
  }

  private static Term step(String name) {
    return effect(name, context -> Map.of("n", (Long) context.get("n") + 1));
  }

  @Override
  public String title() {
    return "Damask 0.1.0";
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.allOf(Workload.class);
  }

  @Override
  public void prepare(Workload workload) {
    engines.put(workload, open(workload));
  }

  /// Opens the engine of a workload.
  Engine open(Workload workload) {
    var options = EngineOptions.defaults().withRetention(Duration.ofSeconds(2));
    return workload.name().endsWith("MEMORY")
        ? Engine.open(options, new MemoryStore(), workflows.get(workload))
        : Engine.open(options, directory.resolve(workload.name()), workflows.get(workload));
  }

  @Override
  public void once(Workload workload) throws Exception {
    require(start(workload).await());
  }

  @Override
  public String before(Workload workload) {
    return start(workload).caseId();
  }

  @Override
  public void after(Workload workload, String id) throws Exception {
    Run<Context> run = engines.get(workload).run(id);
    run.signal("go", Map.of());
    require(run.await());
  }

  private Run<Context> start(Workload workload) {
    return engines
        .get(workload)
        .start(workflows.get(workload), "c" + cases.incrementAndGet(), START);
  }

  private static void require(CaseResult<Context> result) {
    if (!(result instanceof CaseResult.Completed)) {
      throw new IllegalStateException("a case ended as " + result);
    }
  }

  @Override
  public void close() throws Exception {
    for (Engine engine : engines.values()) {
      engine.close();
    }
  }
}

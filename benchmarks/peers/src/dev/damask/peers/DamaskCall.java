package dev.damask.peers;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.MemoryStore;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/// `engine.call`: Damask's workflows as functions, without a case.
final class DamaskCall implements Peer {
  private final DamaskPeer workflows = new DamaskPeer(Path.of(""));
  private final Engine engine = Engine.open(EngineOptions.defaults(), new MemoryStore());
  private volatile Context sink = Context.empty();

  @Override
  public String title() {
    return "Damask call 0.1.0";
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.of(Workload.SEQ5_MEMORY, Workload.PAR10_MEMORY, Workload.LOOP1000_MEMORY);
  }

  @Override
  public void prepare(Workload workload) {}

  @Override
  public void once(Workload workload) {
    sink = engine.call(workflows.workflows.get(workload), DamaskPeer.START);
  }

  @Override
  public void close() {
    engine.close();
    if (sink.size() > 99) {
      throw new IllegalStateException("unexpected result " + sink);
    }
  }
}

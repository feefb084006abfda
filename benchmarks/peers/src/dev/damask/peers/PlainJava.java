package dev.damask.peers;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/// Methods that call each other on a map: the lower bound.
final class PlainJava implements Peer {
  private volatile Object sink = "";

  @Override
  public String title() {
    return "plain Java " + Runtime.version().feature();
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.of(Workload.SEQ5_MEMORY, Workload.PAR10_MEMORY, Workload.LOOP1000_MEMORY);
  }

  @Override
  public void prepare(Workload workload) {}

  @Override
  public void once(Workload workload) {
    int tasks =
        switch (workload) {
          case SEQ5_MEMORY -> 5;
          case PAR10_MEMORY -> 10;
          default -> 1_000;
        };
    Map<String, Object> data = new HashMap<>(Map.of("n", 0L));
    for (int i = 0; i < tasks; i++) {
      data.merge("n", 1L, (a, b) -> (Long) a + (Long) b);
    }
    sink = data;
  }

  @Override
  public void close() {
    if (sink.equals("never")) {
      throw new IllegalStateException("unused result");
    }
  }
}

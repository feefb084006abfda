package dev.damask.peers;

import com.yomahub.liteflow.builder.LiteFlowNodeBuilder;
import com.yomahub.liteflow.builder.el.LiteFlowChainELBuilder;
import com.yomahub.liteflow.core.FlowExecutor;
import com.yomahub.liteflow.core.FlowExecutorHolder;
import com.yomahub.liteflow.core.NodeComponent;
import com.yomahub.liteflow.flow.LiteflowResponse;
import com.yomahub.liteflow.property.LiteflowConfig;
import com.yomahub.liteflow.slot.DefaultContext;
import java.util.EnumSet;
import java.util.Set;

/// LiteFlow, a rule engine that keeps no case: chains of components in memory.
final class LiteFlow implements Peer {

  /// Adds one to the value of the chain.
  public static final class Add extends NodeComponent {
    @Override
    public void process() {
      DefaultContext context = getContextBean(DefaultContext.class);
      Long n = context.getData("n");
      context.setData("n", n == null ? 1L : n + 1);
    }
  }

  /// Writes a value of its own.
  public static final class Write extends NodeComponent {
    @Override
    public void process() {
      DefaultContext context = getContextBean(DefaultContext.class);
      context.setData("n", 1L);
    }
  }

  private final FlowExecutor executor;

  LiteFlow() {
    var config = new LiteflowConfig();
    config.setPrintBanner(false);
    config.setPrintExecutionLog(false);
    config.setSlotSize(4_096);
    executor = FlowExecutorHolder.loadInstance(config);
    node("add", Add.class);
    node("write", Write.class);
    chain(Workload.SEQ5_MEMORY, "THEN(add, add, add, add, add)");
    chain(Workload.PAR10_MEMORY, "WHEN(" + "write, ".repeat(9) + "write)");
    chain(Workload.LOOP1000_MEMORY, "FOR(1000).DO(add)");
  }

  private static void node(String id, Class<?> type) {
    LiteFlowNodeBuilder.createCommonNode().setId(id).setName(id).setClazz(type).build();
  }

  private static void chain(Workload workload, String rule) {
    LiteFlowChainELBuilder.createChain().setChainName(workload.name()).setEL(rule).build();
  }

  @Override
  public String title() {
    return "LiteFlow 2.15.3";
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.of(Workload.SEQ5_MEMORY, Workload.PAR10_MEMORY, Workload.LOOP1000_MEMORY);
  }

  @Override
  public void prepare(Workload workload) {}

  @Override
  public void once(Workload workload) {
    LiteflowResponse response = executor.execute2Resp(workload.name(), null, DefaultContext.class);
    if (!response.isSuccess()) {
      throw new IllegalStateException(response.getMessage(), response.getCause());
    }
  }

  @Override
  public void close() {}
}

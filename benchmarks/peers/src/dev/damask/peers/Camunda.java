package dev.damask.peers;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.camunda.bpm.engine.ProcessEngine;
import org.camunda.bpm.engine.ProcessEngineConfiguration;
import org.camunda.bpm.engine.delegate.DelegateExecution;
import org.camunda.bpm.engine.delegate.JavaDelegate;
import org.camunda.bpm.engine.impl.cfg.StandaloneProcessEngineConfiguration;
import org.camunda.bpm.engine.impl.persistence.StrongUuidGenerator;
import org.camunda.bpm.model.bpmn.Bpmn;
import org.camunda.bpm.model.bpmn.BpmnModelInstance;

/// Camunda 7: in memory on H2, durable on PostgreSQL, without history. Steps that are durable one
/// by one are `asyncBefore`, which its documentation calls a save point.
final class Camunda implements Peer {

  /// Adds one to a variable.
  public static final class Add implements JavaDelegate {
    @Override
    public void execute(DelegateExecution execution) {
      Object n = execution.getVariable("n");
      execution.setVariable("n", n == null ? 1L : (Long) n + 1);
    }
  }

  /// Counts down the latch of the process.
  public static final class End implements JavaDelegate {
    @Override
    public void execute(DelegateExecution execution) {
      CountDownLatch latch = ENDS.remove(execution.getProcessBusinessKey());
      if (latch != null) {
        latch.countDown();
      }
    }
  }

  private static final Map<String, CountDownLatch> ENDS = new ConcurrentHashMap<>();

  private final DataSource source;
  private final Map<Workload, ProcessEngine> engines = new EnumMap<>(Workload.class);
  private final AtomicLong keys = new AtomicLong();

  Camunda(DataSource source) {
    this.source = source;
  }

  @Override
  public String title() {
    return "Camunda 7.24.0";
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.allOf(Workload.class);
  }

  @Override
  public void prepare(Workload workload) {
    boolean isMemory = workload.name().endsWith("MEMORY");
    var configuration = new StandaloneProcessEngineConfiguration();
    // The default generator takes a second connection from the pool in the middle of a start, so
    // that
    // many callers block each other; the documentation recommends this one for such use.
    configuration.setIdGenerator(new StrongUuidGenerator());
    configuration.setDataSource(
        isMemory ? PeerProcess.pool("jdbc:h2:mem:" + workload + ";DB_CLOSE_DELAY=-1") : source);
    configuration
        .setDatabaseSchemaUpdate(ProcessEngineConfiguration.DB_SCHEMA_UPDATE_TRUE)
        .setHistory(ProcessEngineConfiguration.HISTORY_NONE)
        .setJobExecutorActivate(workload == Workload.STEPS5_DURABLE);
    configuration.setProcessEngineName(workload.name());
    ProcessEngine engine = configuration.buildProcessEngine();
    engine
        .getRepositoryService()
        .createDeployment()
        .addModelInstance(workload + ".bpmn", model(workload))
        .deploy();
    engines.put(workload, engine);
  }

  private static BpmnModelInstance model(Workload workload) {
    var start =
        Bpmn.createExecutableProcess(workload.name()).camundaHistoryTimeToLive(1).startEvent();
    return switch (workload) {
      case SEQ5_MEMORY, SEQ5_DURABLE -> {
        var at = start.serviceTask().camundaClass(Add.class);
        for (int i = 1; i < 5; i++) {
          at = at.serviceTask().camundaClass(Add.class);
        }
        yield at.endEvent().done();
      }
      case STEPS5_DURABLE -> {
        var at = start.serviceTask().camundaAsyncBefore().camundaClass(Add.class);
        for (int i = 1; i < 5; i++) {
          at = at.serviceTask().camundaAsyncBefore().camundaClass(Add.class);
        }
        yield at.serviceTask().camundaAsyncBefore().camundaClass(End.class).endEvent().done();
      }
      case PAR10_MEMORY -> {
        var fork = start.parallelGateway("fork");
        var at = fork.serviceTask().camundaClass(Add.class).parallelGateway("join");
        for (int i = 1; i < 10; i++) {
          at.moveToNode("fork").serviceTask().camundaClass(Add.class).connectTo("join");
        }
        yield at.endEvent().done();
      }
      case LOOP1000_MEMORY ->
          start
              .exclusiveGateway("again")
              .serviceTask()
              .camundaClass(Add.class)
              .exclusiveGateway("enough")
              .condition("no", "${n < 1000}")
              .connectTo("again")
              .moveToNode("enough")
              .condition("yes", "${n >= 1000}")
              .endEvent()
              .done();
      case SIGNAL_DURABLE -> start.intermediateCatchEvent().message("go").endEvent().done();
    };
  }

  @Override
  public void once(Workload workload) throws Exception {
    ProcessEngine engine = engines.get(workload);
    String key = workload + "-" + keys.incrementAndGet();
    if (workload == Workload.STEPS5_DURABLE) {
      var latch = new CountDownLatch(1);
      ENDS.put(key, latch);
      engine.getRuntimeService().startProcessInstanceByKey(workload.name(), key, Map.of("n", 0L));
      latch.await();
    } else {
      engine.getRuntimeService().startProcessInstanceByKey(workload.name(), key, Map.of("n", 0L));
    }
  }

  @Override
  public String before(Workload workload) {
    return engines
        .get(workload)
        .getRuntimeService()
        .startProcessInstanceByKey(workload.name())
        .getId();
  }

  @Override
  public void after(Workload workload, String id) {
    engines
        .get(workload)
        .getRuntimeService()
        .createMessageCorrelation("go")
        .processInstanceId(id)
        .correlate();
  }

  @Override
  public void close() {
    engines.values().forEach(ProcessEngine::close);
  }
}

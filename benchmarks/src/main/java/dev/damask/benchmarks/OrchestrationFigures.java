package dev.damask.benchmarks;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.compile.Compiler;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.Outcome;
import dev.damask.expression.Expressions;
import dev.damask.orchestration.Orchestration;
import dev.damask.orchestration.SessionKey;
import dev.damask.orchestration.SessionOptions;
import dev.damask.orchestration.SessionStart;
import dev.damask.orchestration.Sessions;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.task.Context;
import dev.damask.task.Expression;
import dev.damask.term.Flow;
import dev.damask.term.Term;
import dev.damask.term.Workflow;
import dev.damask.trace.TraceLevel;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Measures orchestrations: step evaluations, wide joins, and durable sessions against plain
/// workflows. Rates are per second of processor time, so that a busy machine does not spoil them.
public final class OrchestrationFigures {
  private static final String COUNT =
      """
      {"payload": {"n": {"type": "int64"}, "max": {"type": "int64"}},
       "rules": [{"expression": "[n] >= [max]", "type": "abortStep"}, "[n] >= 0"],
       "onValid": {"payload": {"n": "([n] + 1)", "max": "[max]"}}}
      """;

  private static final String PASS =
      """
      {"payload": {"n": {"type": "int64", "default": 0}},
       "onValid": {"payload": {"n": "([n] + 1)"}}}
      """;

  private static final int ROUNDS = 12;

  private OrchestrationFigures() {}

  /// Prints the figures.
  ///
  /// @param arguments how many durable sessions, 10,000 without it; `durable` behind it for nothing
  ///   else
  public static void main(String[] arguments) throws Exception {
    int sessions = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10_000;
    if (arguments.length < 2) {
      for (int round = 0; round < 3; round++) {
        loop();
      }
      for (int producers : new int[] {4, 8, 16, 32}) {
        join(producers);
      }
    }
    durable(sessions);
  }

  private static void loop() {
    String graph =
        "{\"id\":\"g\",\"structure\":{\"W\":{\"rule\":\"w\",\"onValid\":{\"spawns\":[\"W\"]}}}}";
    Machine machine = machine(graph, Map.of("w", COUNT));
    long evaluations = 0;
    long begin = cpu();
    for (int i = 0; i < 300; i++) {
      run(machine, Context.of("n", 0L, "max", 1_000L).with("__entry", "W"));
      evaluations += 1_001;
    }
    print("loop of one rule step", evaluations, cpu() - begin, "evaluations");
  }

  private static Machine machine(String graph, Map<String, String> rules) {
    Program program = Compiler.compile(new Orchestration(graph, rules).workflow());
    return new Machine(
        program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
  }

  private static void run(Machine machine, Context context) {
    ExecState state = machine.start(context, 0);
    Outcome outcome = machine.run(state, Integer.MAX_VALUE);
    if (!(outcome instanceof Outcome.Done)) {
      throw new IllegalStateException("expected an end, found " + outcome);
    }
  }

  private static void join(int producers) {
    String names =
        IntStream.range(0, producers)
            .mapToObj(i -> "\"P" + i + "\"")
            .collect(Collectors.joining(","));
    String from =
        IntStream.range(0, producers)
            .mapToObj(i -> "{\"node\":\"P" + i + "\"}")
            .collect(Collectors.joining(","));
    String steps =
        IntStream.range(0, producers)
            .mapToObj(i -> "\"P" + i + "\":{\"rule\":\"p\"}")
            .collect(Collectors.joining(","));
    String graph =
        "{\"id\":\"g\",\"structure\":{\"A\":{\"rule\":\"p\",\"onValid\":{\"spawns\":["
            + names
            + "],\"join\":{\"joinid\":\"J\",\"mode\":\"all\",\"from\":["
            + from
            + "]}}},\"J\":{\"rule\":\"p\"},"
            + steps
            + "}}";
    Machine machine = machine(graph, Map.of("p", PASS));
    for (int i = 0; i < 2_000; i++) {
      run(machine, Context.of("__entry", "A"));
    }
    long begin = cpu();
    for (int i = 0; i < 2_000; i++) {
      run(machine, Context.of("__entry", "A"));
    }
    print("join over " + producers + " producers", 2_000L * producers, cpu() - begin, "deliveries");
  }

  /// Both sides in turn; the compiler of the JVM works for both, so the best round of each counts.
  private static void durable(int count) throws Exception {
    Path folder = Files.createTempDirectory("damask-figures");
    Expression increment = Expressions.expression("n + 1");
    double evaluating = 0;
    double idle = 0;
    double sessions = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Path store = folder.resolve("round" + round);
      UnaryOperator<Context> evaluates = context -> context.with("n", increment.value(context));
      evaluating = Math.max(evaluating, workflows(store.resolve("expressions"), evaluates, count));
      idle = Math.max(idle, workflows(store.resolve("idle"), context -> context, count));
      sessions = Math.max(sessions, sessions(store.resolve("sessions"), count));
    }
    System.out.printf("durable workflows of 7 expressions: %,.0f per CPU second%n", evaluating);
    System.out.printf("durable workflows of 7 tasks that do nothing: %,.0f%n", idle);
    System.out.printf("durable sessions of nested joins: %,.0f%n", sessions);
    System.out.printf("sessions against workflows of expressions: %.2f%n", sessions / evaluating);
    System.out.printf("sessions against workflows that do nothing: %.2f%n", sessions / idle);
  }

  /// As many tasks as the nested joins evaluate steps, with a trace as sessions have it.
  private static double workflows(Path folder, UnaryOperator<Context> work, int count) {
    List<Term> tasks = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      tasks.add(Flow.task("t" + i, work::apply));
    }
    Workflow workflow = Flow.workflow("plain", tasks.toArray(Term[]::new));
    EngineOptions options = EngineOptions.defaults().withTrace(TraceLevel.MIN);
    try (Engine engine = Engine.open(options, folder, workflow)) {
      long begin = processCpu();
      List<CompletableFuture<Boolean>> started = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        started.add(engine.startAsync(workflow, "case-" + i, Context.of("n", 0L)));
      }
      started.forEach(CompletableFuture::join);
      return rate(count, begin);
    }
  }

  private static double sessions(Path folder, int count) throws Exception {
    String nested =
        """
        {"id": "nested", "structure": {
        "A1": {"rule": "p", "onValid": {"spawns": ["G1", "H1"], "join": {"joinid": "J1",
          "mode": "any", "waitonjoin": "kill", "from": [{"node": "G1"}, {"node": "H1"}]}}},
        "G1": {"rule": "p"}, "H1": {"rule": "p"},
        "J1": {"rule": "p", "onValid": {"spawns": ["P1", "Q1"], "join": {"joinid": "J2",
          "mode": "all", "waitonjoin": "kill", "from": [{"node": "P1"}, {"node": "Q1"}]}}},
        "P1": {"rule": "p"}, "Q1": {"rule": "p"},
        "J2": {"rule": "p", "onValid": {"spawns": ["Z1"]}}, "Z1": {"rule": "p"}}}
        """;
    try (Sessions sessions = Sessions.open(SessionOptions.defaults(), folder)) {
      sessions.registry().putRule("eve", "p", PASS);
      sessions.registry().putGraph("eve", nested);
      long begin = processCpu();
      List<CompletableFuture<SessionKey>> started = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        started.add(sessions.startAsync(SessionStart.of("eve", "nested", "A1", Map.of())));
      }
      SessionKey last = SessionKey.of("eve", 1);
      for (CompletableFuture<SessionKey> each : started) {
        last = each.join();
      }
      sessions.await(last, Duration.ofMinutes(1));
      return rate(count, begin);
    }
  }

  private static double rate(long count, long begin) {
    return count / ((processCpu() - begin) / 1e9);
  }

  /// Of all threads: shards, the writer of the store, and the collector.
  private static long processCpu() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static void print(String what, long count, long nanos, String unit) {
    System.out.printf(
        "%s: %,.0f %s per second, %.0f ns each%n",
        what, count * 1e9 / nanos, unit, (double) nanos / count);
  }
}

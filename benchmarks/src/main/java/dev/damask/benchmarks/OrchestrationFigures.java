package dev.damask.benchmarks;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.compile.Compiler;
import dev.damask.event.Outcome;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.expression.Expressions;
import dev.damask.ops.CaseEvent;
import dev.damask.program.Program;
import dev.damask.registry.Orchestration;
import dev.damask.schedule.InOrder;
import dev.damask.session.SessionOptions;
import dev.damask.session.SessionStart;
import dev.damask.session.Sessions;
import dev.damask.task.Expression;
import dev.damask.term.Flow;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Measures orchestrations: step evaluations, wide joins, and durable sessions against plain
/// workflows. What runs in memory is shown in three rounds; the first warms up. Rates are per
/// second of processor time, so that a busy machine does not spoil them.
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

  private static final String READ =
      """
      {"payload": {"n": {"type": "int64", "default": 0}},
       "contractReads": [{"to": "x", "function": "f()",
         "saveAs": {"0": {"key": "one", "type": "int64"}}}],
       "onValid": {"payload": {"n": "([n] + [one])"}}}
      """;

  private static final int JOINS = 4_000;
  private static final int ROUNDS = 16;

  /// Without effects a round takes half a second, too little for the JIT.
  private static final int SHORT_ROUNDS = 60;

  private static final List<String> STEPS = List.of("A1", "G1", "H1", "J1", "P1", "Q1", "J2", "Z1");

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
      for (int round = 0; round < 3; round++) {
        for (int producers : new int[] {4, 8, 16, 32}) {
          join(producers);
        }
      }
    }
    Path folder = Files.createTempDirectory("damask-figures");
    try {
      durable(folder, sessions);
    } finally {
      EngineFigures.delete(folder);
    }
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
    long begin = cpu();
    for (int i = 0; i < JOINS; i++) {
      run(machine, Context.of("__entry", "A"));
    }
    print(
        "join over " + producers + " producers",
        (long) JOINS * producers,
        cpu() - begin,
        "deliveries");
  }

  /// How fast cases ended, by processor time, and how many commits each took.
  private record Rate(double perSecond, double commits) {
    Rate better(Rate other) {
      return perSecond >= other.perSecond ? this : other;
    }

    void print(String what) {
      System.out.printf("%s: %,.0f a second, %.1f commits each%n", what, perSecond, commits);
    }
  }

  private static void durable(Path folder, int count) throws Exception {
    Expression increment = Expressions.expression("n + 1");
    WorkflowDefinition evaluating =
        nested(name -> Flow.task(name, c -> c.with("n", increment.value(c))), "evaluating");
    WorkflowDefinition asking = nested(Flow::effect, "asking");
    Match pure = new Match(evaluating, "an expression in each task", PASS, "ask nothing");
    Match asked = new Match(asking, "an effect in each task", READ, "read in each step");
    compare(folder.resolve("pure"), pure, SHORT_ROUNDS, count);
    compare(folder.resolve("asked"), asked, ROUNDS, count);
  }

  /// A workflow, and the rule of sessions that do as much.
  private record Match(WorkflowDefinition workflow, String tasks, String rule, String steps) {}

  /// Both sides in turn, each compared with its neighbour; the best round of each is shown.
  private static void compare(Path folder, Match match, int rounds, int count) throws Exception {
    Rate workflows = new Rate(0, 0);
    Rate sessions = workflows;
    Turns turns = new Turns();
    for (int round = 0; round < rounds; round++) {
      Path store = folder.resolve("round" + round);
      Rate one = workflows(store.resolve("workflows"), match.workflow(), count);
      Rate other = sessions(store.resolve("sessions"), match.rule(), count);
      turns.add(other.perSecond, one.perSecond);
      workflows = one.better(workflows);
      sessions = other.better(sessions);
      EngineFigures.delete(store);
    }
    workflows.print("durable workflows of nested joins, " + match.tasks());
    sessions.print("durable sessions of nested joins that " + match.steps());
    System.out.printf(
        "sessions that %s against workflows: %.2f %s%n",
        match.steps(), turns.ratio(), turns.spread("sessions/s"));
  }

  /// The graph of the sessions as a workflow.
  private static WorkflowDefinition nested(Function<String, Term> step, String name) {
    return Flow.workflow(
        name,
        step.apply("A1"),
        Flow.join(JoinPolicy.firstComplete(), step.apply("G1"), step.apply("H1")),
        step.apply("J1"),
        Flow.par(step.apply("P1"), step.apply("Q1")),
        step.apply("J2"),
        step.apply("Z1"));
  }

  /// Counts cases that have ended, and their commits.
  private static final class Ends implements Consumer<CaseEvent> {
    private final Semaphore ended = new Semaphore(0);
    private final LongAdder commits = new LongAdder();

    @Override
    public void accept(CaseEvent event) {
      if (event.status().isEnded()) {
        commits.add(event.revision());
        ended.release();
      }
    }

    Rate rate(int count, long begin) throws InterruptedException {
      ended.acquire(count);
      double seconds = (processCpu() - begin) / 1e9;
      return new Rate(count / seconds, commits.sum() / (double) count);
    }
  }

  /// With a trace as sessions have it.
  private static Rate workflows(Path folder, WorkflowDefinition workflow, int count)
      throws InterruptedException {
    Ends ends = new Ends();
    EngineOptions options = EngineOptions.defaults().withTrace(TraceLevel.MIN).withListener(ends);
    for (String step : STEPS) {
      options = options.withHandler(step, _ -> null);
    }
    try (Engine engine = Engine.open(options, folder, workflow)) {
      long begin = processCpu();
      for (int i = 0; i < count; i++) {
        var _ = engine.startAsync(workflow, "case-" + i, Context.of("n", 0L));
      }
      return ends.rate(count, begin);
    }
  }

  private static Rate sessions(Path folder, String rule, int count) throws InterruptedException {
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
    Ends ends = new Ends();
    SessionOptions options = SessionOptions.defaults().withReader(_ -> List.of(1L));
    try (Sessions sessions = Sessions.open(options, folder)) {
      sessions.registry().putRule("eve", "p", rule);
      sessions.registry().putGraph("eve", nested);
    }
    try (Sessions sessions =
        Sessions.open(options.withEngine(EngineOptions.defaults().withListener(ends)), folder)) {
      long begin = processCpu();
      for (int i = 0; i < count; i++) {
        var _ = sessions.startAsync(SessionStart.of("eve", "nested", "A1", Map.of()));
      }
      return ends.rate(count, begin);
    }
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

package dev.damask.simulation;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.complete;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.set;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.cases.CaseOptions;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.ManualEngine;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.exec.Input;
import dev.damask.exec.Machine;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import dev.damask.task.Context;
import dev.damask.task.Delivery;
import dev.damask.task.Expression;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Term;
import dev.damask.term.Workflow;
import dev.damask.testkit.Choices;
import dev.damask.testkit.TermGenerator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What the cases of a run do: workflows by chance, of which only the invariants are known, and
/// probes, of which the end is known whatever happens on the way.
///
/// Several runs may share one, one after the other: most of the time of a short run would go into
/// making and compiling its workflows.
final class Workload {
  static final List<String> TYPES =
      List.of("A", "B", "C", "D", "U", "one", "two", "three", "undo one", "undo two");

  private static final int CASES = 3;
  private static final int PROBES = 12;
  private static final Retry ALWAYS = new Retry(1_000, Duration.ofMillis(10), 1.0, 0.0);

  private final Choices choices;
  private final List<Job> jobs = new ArrayList<>();
  private final Map<String, Machine> machines = new HashMap<>();
  private @Nullable Simulation run; // null before the first one
  private @Nullable ManualEngine known; // likewise

  private Workload(Choices choices) {
    this.choices = choices;
  }

  /// A few cases, each a workflow by chance or a probe, and one that kills the process.
  static Workload of(Choices choices) {
    Workload work = new Workload(choices);
    for (int i = 0; i < CASES; i++) {
      boolean isRandom = choices.oneIn(2);
      work.jobs.add(isRandom ? work.random("c" + i) : work.probe("c" + i, choices.next(PROBES)));
    }
    work.jobs.add(work.poison("poison"));
    return work;
  }

  /// One case alone: each probe in turn, and every so often a workflow by chance.
  static Workload one(long number, Choices choices) {
    Workload work = new Workload(choices);
    int kind = (int) Math.floorMod(number, (long) PROBES + 1);
    work.jobs.add(kind < PROBES ? work.probe("c0", kind) : work.random("c0"));
    return work;
  }

  /// The jobs of one run. What they do from now on happens in that run.
  List<Job> jobs(Simulation simulation, boolean hasPoison) {
    run = simulation;
    return hasPoison ? jobs : jobs.stream().filter(job -> !job.isPoison()).toList();
  }

  /// Opens an engine that has to compile only what no run before it has compiled.
  ManualEngine open(EngineOptions options, Store store, Function<Effects.Sink, Effects> effects) {
    known =
        known == null
            ? ManualEngine.open(
                options, store, effects, jobs.stream().map(Job::workflow).toArray(Workflow[]::new))
            : known.reopen(options, store, effects);
    return known;
  }

  /// A machine to read the states of a case with.
  Machine machine(String caseId) {
    return machines.computeIfAbsent(
        caseId,
        id -> {
          Job job =
              jobs.stream().filter(each -> each.caseId().equals(id)).findFirst().orElseThrow();
          Program program = Objects.requireNonNull(known).program(job.workflow());
          return new Machine(
              program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
        });
  }

  private Simulation run() {
    return Objects.requireNonNull(run);
  }

  private Job random(String caseId) {
    Workflow named = TermGenerator.workflow(choices).withName("random-" + caseId);
    List<Job.Event> outside = new ArrayList<>();
    for (int left = choices.next(8); left > 0; left--) {
      outside.add(new Job.Event(choices.next(20_000), input()));
    }
    return new Job(
        caseId,
        named,
        CaseOptions.DEFAULT,
        outside,
        call -> new EffectResult.Ok(data(call)),
        (_, _, _) -> {});
  }

  /// Decided by the key, so that the same request always has the same answer.
  private static Context data(EffectCall call) {
    int roll = Math.floorMod(call.key().hashCode(), 12);
    return roll < 6
        ? Context.empty()
        : Context.of(TermGenerator.KEYS.get(roll % TermGenerator.KEYS.size()), roll % 4);
  }

  private Input input() {
    return switch (choices.next(8)) {
      case 0 -> new Input.Kill("R", choices.oneIn(2));
      case 1 -> new Input.Kill(choices.oneIn(4) ? "case" : "Q", false);
      case 2 -> new Input.AddInstance("i", "item", choices.oneIn(2));
      case 3 -> new Input.CloseInstances("j");
      case 4, 5 -> new Input.Signal("t", Context.empty());
      default -> new Input.Signal("s", Context.empty());
    };
  }

  private Job probe(String caseId, int number) {
    return switch (number) {
      case 0 -> tally(caseId);
      case 1 -> merge(caseId);
      case 2 -> loop(caseId);
      case 3 -> manyInstances(caseId);
      case 4 -> region(caseId);
      case 5 -> discriminator(caseId);
      case 6 -> timer(caseId);
      case 7 -> undo(caseId);
      case 8 -> shortage(caseId);
      case 9 -> forkUnderCancel(caseId);
      case 10 -> manyBlocks(caseId);
      default -> atMostOnce(caseId);
    };
  }

  /// Every signal counts exactly once, however often it is sent.
  private Job tally(String caseId) {
    Term counting = task("count", c -> c.with("n", number(c, "n") + 1));
    Workflow flow =
        workflow(
            "tally",
            set("n", Expression.constant(0)),
            repeatWhile(c -> number(c, "n") < 5, defer(on("s", counting))));
    List<Job.Event> outside = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      outside.add(signal(choices.next(20_000), "s"));
    }
    return probe(
        caseId,
        flow,
        outside,
        (record, _, _) ->
            require(
                record,
                record.status() == CaseStatus.WAITING,
                "four signals must not count as five"));
  }

  /// The last branch wins, whichever is ready last.
  private Job merge(String caseId) {
    Workflow flow =
        workflow("merge", par(retried("one"), retried("two"), retried("three")), retried("A"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, result, world) -> {
          completed(record);
          require(record, Long.valueOf(3).equals(result.get("v")), "merged " + result);
          once(record, world, "one", 1);
          once(record, world, "three", 1);
          once(record, world, "A", 1);
        });
  }

  /// The case completes, and each effect was performed so many times.
  private static Job.Check completes(Map<String, Integer> performed) {
    return (record, _, world) -> {
      completed(record);
      performed.forEach((task, times) -> once(record, world, task, times));
    };
  }

  private Job loop(String caseId) {
    Workflow flow = workflow("loop", repeat(3, seq(retried("one"), retried("two"))), retried("A"));
    return probe(caseId, flow, List.of(), completes(Map.of("one", 3, "two", 3, "A", 1)));
  }

  private Job manyInstances(String caseId) {
    Workflow flow =
        workflow("many", instances("m", InstancePolicy.fixed(4), retried("one")), retried("A"));
    return probe(caseId, flow, List.of(), completes(Map.of("one", 4, "A", 1)));
  }

  /// The same block is open several times at once, and each of its joins meets its own branches.
  private Job manyBlocks(String caseId) {
    Term block = seq(par(retried("one"), retried("two")), retried("three"));
    Workflow flow =
        workflow("blocks", instances("m", InstancePolicy.fixed(3), block), retried("A"));
    return probe(
        caseId, flow, List.of(), completes(Map.of("one", 3, "two", 3, "three", 3, "A", 1)));
  }

  /// Once the cancellation of the region is acknowledged nothing of it starts any more.
  private Job region(String caseId) {
    Term inner = scope("inner", repeat(50, retried("C")));
    Workflow flow =
        workflow(
            "region",
            scope("R", par(repeat(50, retried("one")), seq(retried("two"), inner))),
            retried("D"));
    Job.Event kill = new Job.Event(choices.next(3_000), new Input.Kill("R", false));
    return probe(caseId, flow, List.of(kill), (record, _, _) -> {});
  }

  /// One of three goes on, once a round; the others end by themselves and change nothing.
  private Job discriminator(String caseId) {
    Term round =
        seq(
            join(JoinPolicy.partial(1), retried("one"), retried("two"), retried("three")),
            task("next", c -> c.with("rounds", number(c, "rounds") + 1)));
    Workflow flow = workflow("discriminator", repeat(3, round), retried("A"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, result, world) -> {
          completed(record);
          require(record, number(result, "rounds") == 3, "rounds " + result);
          once(record, world, "A", 1);
          once(record, world, "one", 3);
          once(record, world, "three", 3);
          run().count(Situation.LATE_DELIVERY_TO_CLOSED_JOIN); // two in each of three rounds
        });
  }

  /// Two of three branches withdraw themselves, so two can never arrive: the join is given up.
  private Job shortage(String caseId) {
    Workflow flow =
        workflow(
            "shortage",
            join(
                JoinPolicy.partial(2),
                scope("x", kill("x")),
                scope("y", kill("y")),
                retried("one")),
            retried("A"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, _, world) -> {
          require(record, record.status().isEnded(), "did not end");
          once(record, world, "A", 0);
          run().count(Situation.JOIN_GIVEN_UP);
        });
  }

  /// The first branch ends the region while the fork is still under way.
  private Job forkUnderCancel(String caseId) {
    Workflow flow =
        workflow(
            "fork", scope("R", par(complete("R"), retried("one"), retried("two"))), retried("A"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, _, world) -> {
          completed(record);
          once(record, world, "A", 1);
          run().count(Situation.CANCEL_DURING_FORK);
        });
  }

  /// Fires when its time has come, and never before.
  private Job timer(String caseId) {
    long millis = 1_000L * (1 + choices.next(20));
    Workflow flow =
        workflow(
            "timer",
            defer(after(Duration.ofMillis(millis), task("fired", c -> c.with("at", run().now())))));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, result, _) -> {
          completed(record);
          long waited = number(result, "at") - Simulation.BEGIN;
          Invariants.require("I13", waited >= millis, record, "fired after " + waited + " ms");
        });
  }

  /// What was done is undone in reverse, once each, and the case fails with its own reason.
  private Job undo(String caseId) {
    Workflow flow =
        workflow(
            "undo",
            retried("one").undo(retried("undo one")),
            retried("two").undo(retried("undo two")),
            fail("planned"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, _, world) -> {
          require(record, record.status() == CaseStatus.FAILED, "ended otherwise");
          once(record, world, "undo one", 1);
          once(record, world, "undo two", 1);
        });
  }

  /// Happens once or not at all; the world itself watches.
  private Job atMostOnce(String caseId) {
    TaskOptions options = TaskOptions.DEFAULT.withDelivery(Delivery.AT_MOST_ONCE);
    Workflow flow = workflow("once", effect("one").with(options), retried("A"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, _, world) -> {
          int happened = world.applied(record.caseId(), "one");
          boolean isDone = record.status() == CaseStatus.COMPLETED;
          require(record, !isDone || happened == 1, "completed, happened " + happened);
          require(record, record.status().isEnded(), "did not end");
        });
  }

  /// Kills the process whenever it moves; in the end it is put aside.
  private Job poison(String caseId) {
    Term bomb =
        task(
            "bomb",
            _ -> {
              run().processDies();
              throw new AssertionError("the process is gone");
            });
    Workflow flow = workflow("poison", defer(after(Duration.ofSeconds(2), bomb)));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, _, _) -> {
          require(record, record.status() == CaseStatus.QUARANTINED, "was not put aside");
          run().count(Situation.POISON_CASE_PARKED);
        });
  }

  private static Job probe(String caseId, Workflow flow, List<Job.Event> outside, Job.Check check) {
    Workflow named = flow.withName(flow.name() + "-" + caseId);
    return new Job(caseId, named, CaseOptions.DEFAULT, outside, Workload::answer, check);
  }

  private static EffectResult answer(EffectCall call) {
    return new EffectResult.Ok(
        switch (call.task()) {
          case "one" -> Context.of("v", 1);
          case "two" -> Context.of("v", 2);
          case "three" -> Context.of("v", 3);
          default -> Context.empty();
        });
  }

  private static Job.Event signal(long after, String place) {
    return new Job.Event(after, new Input.Signal(place, Context.empty()));
  }

  private static Term.Task retried(String name) {
    return effect(name).retry(ALWAYS);
  }

  private static long number(Context context, String key) {
    return context.get(key) instanceof Long number ? number : 0;
  }

  private static void completed(CaseRecord record) {
    require(record, record.status() == CaseStatus.COMPLETED, "did not complete");
  }

  private static void once(CaseRecord record, World world, String task, int times) {
    int happened = world.applied(record.caseId(), task);
    require(record, happened == times, task + " happened " + happened + " times, not " + times);
  }

  private static void require(CaseRecord record, boolean holds, String what) {
    Invariants.require("the probe " + record.workflow(), holds, record, what);
  }
}

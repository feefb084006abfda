package dev.damask.simulation;

import dev.damask.caller.CaseOptions;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.ManualEngine;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.event.Input;
import dev.damask.exec.Machine;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.schedule.InOrder;
import dev.damask.store.Store;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What the cases of a run do: random workflows, of which only the invariants are known, and
/// probes, of which the end is known whatever happens on the way.
///
/// Several runs may share one, one after the other: most of the time of a short run would go into
/// making and compiling its workflows.
final class Workload {
  static final List<String> TYPES =
      List.of(
          "A",
          "B",
          "C",
          "D",
          "U",
          "one",
          "two",
          "three",
          "undo one",
          "undo two",
          "undo three",
          EffectProbes.GUARDED,
          EffectProbes.PAY);

  /// The ids begin with each other, as ids of users do.
  private static final List<String> CASES = List.of("c1", "c10", "c100");

  /// The probes of a run of several cases.
  private static final int MIXED = FlowProbes.COUNT + EffectProbes.COUNT + ScriptProbes.COUNT;

  static final int PROBES = MIXED + FamilyProbes.COUNT + OperatorProbes.COUNT;

  private final Choices choices;
  private final List<Job> jobs = new ArrayList<>();
  private final Map<ProgramHash, Machine> machines = new HashMap<>();
  private final Map<String, Machine> first = new HashMap<>();
  private final FlowProbes flows;
  private final EffectProbes effects;
  private final ScriptProbes scripts;
  private final FamilyProbes families;
  private final OperatorProbes operators;
  private @Nullable Simulation run; // null before the first one
  private @Nullable ManualEngine known; // likewise

  private Workload(Choices choices) {
    this.choices = choices;
    this.flows = new FlowProbes(choices, this::run);
    this.effects = new EffectProbes(choices, this::run);
    this.scripts = new ScriptProbes(choices, this::run);
    this.families = new FamilyProbes(choices, this::run);
    this.operators = new OperatorProbes(choices);
  }

  /// A few cases, each a random workflow or a probe, and one that kills the process.
  static Workload of(Choices choices) {
    Workload work = new Workload(choices);
    for (String id : CASES) {
      boolean isRandom = choices.oneIn(2);
      work.jobs.add(isRandom ? work.random(id) : work.probe(id, choices.next(MIXED)));
    }
    work.jobs.add(work.effects.poison("poison"));
    // Drawn last, so that seeds which were found before keep their meaning.
    int family = choices.next(3 * FamilyProbes.COUNT);
    if (family < FamilyProbes.COUNT) {
      work.jobs.add(work.families.make("f", family));
    }
    int operator = choices.next(3 * OperatorProbes.COUNT);
    if (operator < OperatorProbes.COUNT) {
      work.jobs.add(work.operators.make("o", operator));
    }
    return work;
  }

  /// One case alone: each probe in turn, and now and then a random workflow.
  static Workload one(long number, Choices choices) {
    Workload work = new Workload(choices);
    int kind = (int) Math.floorMod(number, (long) PROBES + 1);
    work.jobs.add(kind < PROBES ? work.probe("c1", kind) : work.random("c1"));
    return work;
  }

  /// The jobs of one run. What they do from now on happens in that run.
  List<Job> jobs(Simulation simulation, boolean hasPoison) {
    run = simulation;
    return hasPoison ? jobs : jobs.stream().filter(job -> !job.isPoison()).toList();
  }

  /// Opens an engine that has to compile only what no run before it has compiled.
  ManualEngine open(EngineOptions options, Store store, Function<Effects.Sink, Effects> calls) {
    known =
        known == null
            ? ManualEngine.open(
                options,
                store,
                calls,
                jobs.stream()
                    .flatMap(job -> job.versions().stream())
                    .toArray(WorkflowDefinition[]::new))
            : known.reopen(options, store, calls);
    return known;
  }

  Program program(WorkflowDefinition workflow) {
    return Objects.requireNonNull(known).program(workflow);
  }

  /// A machine to read a state with.
  Machine machine(String caseId, ProgramHash hash) {
    Machine made = machines.get(hash);
    if (made == null) {
      job(caseId).versions().forEach(each -> machine(program(each)));
      made = Objects.requireNonNull(machines.get(hash));
    }
    return made;
  }

  /// The machine of the program that a case starts with.
  Machine firstMachine(String caseId) {
    return first.computeIfAbsent(caseId, id -> machine(program(job(id).workflowOf(id))));
  }

  /// A program of a case by its hash.
  Program program(String caseId, ProgramHash hash) {
    return job(caseId).versions().stream()
        .map(this::program)
        .filter(each -> each.hash().equals(hash))
        .findFirst()
        .orElseThrow();
  }

  Machine machine(Program program) {
    return machines.computeIfAbsent(
        program.hash(),
        _ ->
            new Machine(
                program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null)));
  }

  private Job job(String caseId) {
    return jobs.stream().filter(each -> each.isOf(caseId)).findFirst().orElseThrow();
  }

  private Simulation run() {
    return Objects.requireNonNull(run);
  }

  private Job random(String caseId) {
    WorkflowDefinition named =
        TermGenerator.workflow(choices)
            .withName("random-" + caseId)
            .withAttributes(
                List.of(FactInvariant.attribute("kind", TermGenerator.KEYS.getFirst())));
    List<Job.Event> outside = new ArrayList<>();
    for (int left = choices.next(8); left > 0; left--) {
      Act act = choices.oneIn(3) ? act(named) : new Act.Feed(input());
      outside.add(new Job.Event(choices.next(20_000), act));
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

  private Act act(WorkflowDefinition workflow) {
    return switch (choices.next(5)) {
      case 0, 1 -> new Act.CancelTask("");
      case 2 -> new Act.Complete("", Context.empty());
      case 3 -> new Act.Fail("");
      default -> new Act.Migrate(workflow);
    };
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
    if (number >= MIXED + FamilyProbes.COUNT) {
      return operators.make(caseId, number - MIXED - FamilyProbes.COUNT);
    }
    if (number >= MIXED) {
      return families.make(caseId, number - MIXED);
    }
    if (number < FlowProbes.COUNT) {
      return flows.make(caseId, number);
    }
    int next = number - FlowProbes.COUNT;
    return next < EffectProbes.COUNT
        ? effects.make(caseId, next)
        : scripts.make(caseId, next - EffectProbes.COUNT);
  }
}

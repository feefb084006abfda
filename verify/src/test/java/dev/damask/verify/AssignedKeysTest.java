package dev.damask.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.check.DefiniteAssignment;
import dev.damask.check.Diagnostic;
import dev.damask.check.KeyAccess;
import dev.damask.check.KeyDiagnostic;
import dev.damask.check.TermCheck;
import dev.damask.compile.Compiler;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Status;
import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Machine;
import dev.damask.program.Listing;
import dev.damask.program.Program;
import dev.damask.schedule.Seeded;
import dev.damask.task.EffectTemplate;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.InstanceCondition;
import dev.damask.task.TaskOptions;
import dev.damask.term.Flow;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/// Compares definite assignment with runs of the machine: every task writes a key of its own, and
/// wherever a task starts, its context has the keys that the analysis calls available, and none but
/// those that it calls possible.
final class AssignedKeysTest {
  private static final int COUNT = Integer.getInteger("damask.seeds", 3_000);
  private static final long FIRST = Long.getLong("damask.seed", 1);
  private static final int RUNS = 8;
  private static final int EVENTS = 60;
  private static final String PROBE = "probe";

  /// Tells the context of every task that starts.
  private static final class Watched implements RandomTerms.Leaves {
    private BiConsumer<String, Context> watch = (name, context) -> {};

    @Override
    public Term pure(String name) {
      return Flow.task(
          name,
          context -> {
            watch.accept(name, context);
            return context.with(name, 1L);
          });
    }

    @Override
    public Term effect(String name) {
      EffectTemplate template =
          context -> {
            watch.accept(name, context);
            return EffectSpec.of(name);
          };
      return new Term.Task(name, new Term.Work.Effect(template, null), TaskOptions.DEFAULT, null);
    }
  }

  /// Every task reads a key that nobody writes, so each has a diagnostic with what is there.
  private static final class Probes implements KeyAccess {
    @Override
    public Writes start() {
      return Writes.of("in");
    }

    @Override
    public Set<String> result() {
      return Set.of(PROBE);
    }

    @Override
    public List<Reads> reads(Term.Task task) {
      return List.of(new Reads(task.name(), Set.of(PROBE)));
    }

    @Override
    public Writes writes(Term.Task task) {
      return task.name().isEmpty() ? Writes.NONE : Writes.of(task.name());
    }

    @Override
    public Reads guardReads(Guard guard) {
      return Reads.NONE;
    }

    @Override
    public Reads valueReads(Expression expression) {
      return Reads.NONE;
    }

    @Override
    public Reads conditionReads(InstanceCondition condition) {
      return Reads.NONE;
    }

    @Override
    public Writes payload(String place) {
      return Writes.NONE;
    }
  }

  @Test
  void a_task_starts_with_all_available_keys_and_no_impossible_one() {
    int often = 0;
    int exact = 0;
    for (long seed = FIRST; seed < FIRST + COUNT; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Watched watched = new Watched();
      WorkflowDefinition workflow =
          new RandomTerms(seed, seed % 5 == 0, random::nextBoolean)
              .with(watched)
              .workflow(2 + (int) (seed % 6));
      if (TermCheck.check(workflow).stream().anyMatch(Diagnostic::isError)) {
        continue;
      }
      Map<String, KeyDiagnostic> known = new HashMap<>();
      for (KeyDiagnostic each : DefiniteAssignment.check(workflow, new Probes())) {
        known.merge(each.reader(), each, AssignedKeysTest::either);
      }
      Program program = Compiler.compile(workflow);
      List<String> wrong = new ArrayList<>();
      Map<String, Set<String>> common = new HashMap<>();
      Map<String, Integer> times = new HashMap<>();
      watched.watch =
          (name, context) -> {
            Set<String> keys = context.toMap().keySet();
            KeyDiagnostic here = known.get(name);
            times.merge(name, 1, Integer::sum);
            common.computeIfAbsent(name, each -> new TreeSet<>(keys)).retainAll(keys);
            if (here == null) {
              wrong.add(name + " is called unreachable");
            } else if (!keys.containsAll(here.available())) {
              wrong.add(name + " has " + new TreeSet<>(keys) + ", not " + here.available());
            } else if (!here.possible().containsAll(keys)) {
              wrong.add(name + " has " + new TreeSet<>(keys) + ", beyond " + here.possible());
            }
          };
      for (int run = 0; run < RUNS; run++) {
        ExecState end = play(program, random);
        if (end.status() == Status.COMPLETED) {
          watched.watch.accept("the result", end.result());
        }
      }
      long failing = seed;
      assertThat(wrong).as(() -> "seed %d%n%s".formatted(failing, Listing.raw(program))).isEmpty();
      for (Map.Entry<String, Set<String>> each : common.entrySet()) {
        KeyDiagnostic here = known.get(each.getKey());
        if (here != null && times.getOrDefault(each.getKey(), 0) >= RUNS) {
          often++;
          exact += here.available().containsAll(each.getValue()) ? 1 : 0;
        }
      }
    }

    System.out.println(exact + " of " + often + " tasks have no key always by accident");
    assertThat(often).isGreaterThan(COUNT);
    assertThat(exact).as("the analysis is not vague").isGreaterThan(often * 9 / 10);
  }

  private static KeyDiagnostic either(KeyDiagnostic one, KeyDiagnostic other) {
    Set<String> available = new TreeSet<>(one.available());
    available.retainAll(other.available());
    Set<String> possible = new TreeSet<>(one.possible());
    possible.addAll(other.possible());
    return new KeyDiagnostic(
        one.kind(), one.place(), one.reader(), one.key(), available, possible, false, List.of());
  }

  private static ExecState play(Program program, SplittableRandom random) {
    Machine machine =
        new Machine(
            program,
            new Machine.Options(
                new Seeded(random.nextLong()), program.limits(), random.nextBoolean(), null));
    ExecState state = machine.start(Context.of("in", 1L), 0);
    machine.run(state, 300);
    for (int i = 0; i < EVENTS && state.status() == Status.WAITING; i++) {
      List<Input> inputs = inputs(machine, state);
      if (inputs.isEmpty()) {
        break;
      }
      machine.apply(state, inputs.get(random.nextInt(inputs.size())));
      machine.run(state, 300);
    }
    return state;
  }

  private static List<Input> inputs(Machine machine, ExecState state) {
    List<Input> inputs = new ArrayList<>();
    for (EffectRequest request : state.pendingEffects()) {
      String name = request.spec().type();
      inputs.add(new Input.TaskDone(request.token(), Context.of(name, 1L)));
      inputs.add(new Input.TaskDone(request.token(), Context.of(name, 1L)));
      inputs.add(new Input.TaskFailed(request.token(), "chance"));
    }
    Exploration.wanted(state)
        .forEach(place -> inputs.add(new Input.Signal(place, Context.empty())));
    Exploration.unclosedSets(machine, state)
        .forEach(name -> inputs.add(new Input.CloseInstances(name)));
    OptionalLong due = machine.nextDue(state);
    if (due.isPresent()) {
      inputs.add(new Input.Advance(due.getAsLong()));
    }
    return inputs;
  }
}

package dev.damask.exec;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.term.InstancePolicy;
import dev.damask.value.Context;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// The names of what a case waits for.
final class WaitingForTest {
  private final Program program =
      Compiler.compile(
          workflow(
              "w",
              par(
                  instances(
                      "many",
                      InstancePolicy.fixed(200),
                      effect("pick"),
                      defer(on("packed", skip()), on("lost", skip()))),
                  effect("charge"))));

  private final Machine machine =
      new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));

  private static List<String> expected(Outcome outcome) {
    TreeSet<String> names = new TreeSet<>();
    if (outcome instanceof Outcome.Waits(var effects, var places, var sets, _)) {
      effects.forEach(each -> names.add(each.task().name()));
      names.addAll(places);
      names.addAll(sets);
    }
    return List.copyOf(names);
  }

  /// With so many tokens the addresses are counted. Asking from the beginning keeps the counts
  /// while tokens come and go.
  @Test
  void the_names_are_those_of_the_tokens_whatever_their_number() {
    ExecState state = machine.start(Context.empty(), 0);
    Random random = new Random(5);
    Outcome outcome = machine.run(state, 100_000);
    assertThat(machine.waitingFor(state)).containsExactly("charge", "pick");

    for (int i = 0; outcome instanceof Outcome.Waits waits && i < 2_000; i++) {
      List<EffectRequest> pending = waits.effects();
      if (!pending.isEmpty() && (waits.places().isEmpty() || random.nextInt(3) > 0)) {
        EffectRequest done = pending.get(random.nextInt(pending.size()));
        machine.apply(state, new Input.TaskDone(done.token(), Context.empty()));
      } else {
        String place = random.nextBoolean() ? "packed" : "lost";
        machine.apply(state, new Input.Signal(place, Context.empty()));
      }
      outcome = machine.run(state, 100_000);
      assertThat(machine.waitingFor(state)).isEqualTo(expected(outcome));
    }

    assertThat(outcome).isInstanceOf(Outcome.Done.class);
    assertThat(machine.waitingFor(state)).isEmpty();
  }
}

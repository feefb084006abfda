package dev.damask.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Status;
import dev.damask.event.TokenId;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// No decision that rests on what can still arrive is contradicted by a future of the machine.
final class NeverEarlyTest {
  private static final int SEEDS = Integer.getInteger("damask.seeds", 400);
  private static final long FIRST = Long.getLong("damask.seed", 0);
  private static final int EVENTS = 12;
  private static final int STATES_MAX = Integer.getInteger("damask.states", 250);

  private final Map<Decision.Kind, Integer> decisions = new EnumMap<>(Decision.Kind.class);
  private final List<String> violations = new ArrayList<>();
  private int deadlocks;

  @Test
  void no_future_contradicts_a_decision_or_a_deadlock() {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      play(seed);
    }

    assertThat(violations).as("%s decisions, %s deadlocks", decisions, deadlocks).isEmpty();
    assertThat(decisions.keySet())
        .as("kinds of decisions that were checked")
        .contains(
            Decision.Kind.OR_JOIN, Decision.Kind.RESET, Decision.Kind.ABORT, Decision.Kind.EXPIRED);
    assertThat(deadlocks).isPositive();
  }

  private void play(long seed) {
    Program program = Compiler.compile(new RandomWaits(seed).workflow());
    Futures futures = new Futures(program);
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    List<Futures.Taken> taken = new ArrayList<>();
    machine.gate =
        (state, decision) -> taken.add(new Futures.Taken(decision, StateCodec.encode(state)));
    for (int run = 0; run < 3; run++) {
      SplittableRandom random = new SplittableRandom(seed * 31 + run);
      ExecState state = machine.start(Context.empty(), 0);
      machine.run(state, 1_000);
      for (int i = 0; i < EVENTS && !isOver(state); i++) {
        event(random, machine, state);
        check(seed, futures, taken, state);
      }
    }
  }

  private static boolean isOver(ExecState state) {
    return state.isDone() || state.status() == Status.DEADLOCKED;
  }

  private static boolean isLeftToSignals(ExecState state) {
    return state.pendingEffects().isEmpty() && state.nextDue().isEmpty() && state.openSets == 0;
  }

  private void event(SplittableRandom random, Machine machine, ExecState state) {
    List<EffectRequest> pending = state.pendingEffects();
    int which = random.nextInt(1_000);
    int kind = random.nextInt(10);
    if (kind < 8 && !pending.isEmpty()) {
      TokenId token = pending.get(which % pending.size()).token();
      machine.apply(
          state,
          kind == 0
              ? new Input.TaskFailed(token, "boom")
              : new Input.TaskDone(token, Context.empty()));
    } else if (kind == 8) {
      machine.apply(state, new Input.Signal(RandomWaits.SIGNALS.get(which % 2), Context.empty()));
    } else {
      machine.apply(state, new Input.Advance(state.clock() + 1_000));
    }
    machine.run(state, 1_000);
  }

  private void check(long seed, Futures futures, List<Futures.Taken> taken, ExecState state) {
    for (Futures.Taken each : taken) {
      decisions.merge(each.decision().kind(), 1, Integer::sum);
      if (each.decision().kind() != Decision.Kind.CIRCLE) {
        String story = futures.contradiction(each, STATES_MAX);
        if (story != null) {
          violations.add("seed " + seed + ": " + each.decision() + " but " + story);
        }
      }
    }
    taken.clear();
    if (state.status() == Status.DEADLOCKED) {
      deadlocks++;
      String story = futures.awakens(StateCodec.encode(state));
      if (story != null) {
        violations.add("seed " + seed + ": deadlocked, but " + story);
      }
    } else if (state.status() == Status.WAITING && isLeftToSignals(state)) {
      String story = futures.awakens(StateCodec.encode(state));
      if (story == null) {
        violations.add("seed " + seed + ": waits for signals, but none moves it");
      }
    }
  }
}

package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// How a nursery ends, under the interleavings of three threads: spawns, ends with and without an
/// error, explicit cancellations, timeouts, closing, and the result. Budgets at their limit.
///
/// The parts are those of the nursery: its word, token, errors and outcome. Its threads are left
/// out, because the checker can only stop threads that it started itself.
class NurseryModelTest {

  @Test
  void reason_state_and_result_of_a_nursery_agree_in_every_interleaving() {
    options().iterations(20).sequentialSpecification(PlainNursery.class).check(RealNursery.class);
  }

  @Test
  void the_checker_finds_a_reason_that_is_set_before_the_state() {
    assertThatThrownBy(() ->
            options().sequentialSpecification(PlainNursery.class).check(ReasonBeforeState.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  @Test
  void the_checker_finds_an_error_that_is_dropped_after_a_cancellation() {
    assertThatThrownBy(() ->
            options()
                .sequentialSpecification(PlainNursery.class)
                .check(ErrorDroppedAfterCancel.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  @Test
  void no_interleaving_makes_or_loses_a_part_of_a_budget() {
    options().sequentialSpecification(PlainBudget.class).check(RealBudget.class);
  }

  @Test
  void the_checker_finds_a_budget_that_is_looked_at_before_it_is_changed() {
    assertThatThrownBy(
            () -> options().sequentialSpecification(PlainBudget.class).check(LookThenTake.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  @Test
  void grants_that_are_given_back_at_the_limit_are_neither_made_nor_lost() {
    options().verifier(EpsilonVerifier.class).check(RealGrants.class);
  }

  @Test
  void the_checker_finds_a_grant_that_is_lost_in_a_part_that_was_given_back() {
    assertThatThrownBy(() -> options().verifier(EpsilonVerifier.class).check(LostRecharge.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  private static ModelCheckingOptions options() {
    return new ModelCheckingOptions()
        .iterations(40)
        .invocationsPerIteration(20)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(2)
        .actorsAfter(1)
        .minimizeFailedScenario(false);
  }

  /// Without a stack trace, which the checker would follow.
  private static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1;

    Broken() {
      super("broken", null, false, false);
    }
  }

  /// What a nursery is made of, without threads.
  public static class RealNursery {
    final StateWord word = new StateWord();
    final Errors errors =
        new Errors(
            NurseryOptions.named("model").withPolicy(ErrorPolicy.COLLECT_ALL).withOnError(_ -> {}));
    final NurseryOutcome outcome = new NurseryOutcome(errors);
    final CancelToken token = CancelToken.below(null, this::begin);

    @Nullable CancelReason begin(CancelReason why, TreeCancellation work) {
      return word.cancel() == StateWord.Step.REFUSED ? null : why;
    }

    @Operation
    public String spawn() {
      return word.enter() == StateWord.Step.REFUSED ? "refused" : "spawned";
    }

    @Operation
    public String childReturns() {
      synchronized (errors) { // of two ends at once, one may find no child
        return leave();
      }
    }

    /// The error is kept before the child leaves, whether the nursery is cancelled or not.
    @Operation
    public String childFails() {
      synchronized (errors) {
        if (word.running() == 0) {
          return "no child";
        }
        errors.record(new ChildError("child", new Broken()));
        return leave();
      }
    }

    private String leave() {
      if (word.running() == 0) {
        return "no child";
      }
      word.leave();
      return "left";
    }

    @Operation
    public boolean cancel() {
      return token.cancel(CancelReason.explicit("model"));
    }

    @Operation
    public boolean timeOut() {
      return token.cancel(CancelReason.timeout("model"));
    }

    @Operation
    public boolean close() {
      return word.close() != StateWord.Step.REFUSED;
    }

    /// What a child that stops finds as its reason.
    @Operation
    public String reason() {
      return name(token.settledReason());
    }

    static String name(@Nullable CancelReason why) {
      return why == null ? "none" : why.kind().name();
    }

    @Operation
    public String result() {
      NurseryState state = word.state();
      if (state != NurseryState.CLOSED && state != NurseryState.CANCELLED) {
        return "pending";
      }
      return switch (outcome.result(state, token)) {
        case NurseryResult.Success _ -> "success";
        case NurseryResult.Cancelled cancelled -> "cancelled " + cancelled.reason().kind();
        case NurseryResult.Failed _ -> "failed";
        case NurseryResult.Pending _ -> "pending";
      };
    }
  }

  /// The same for one thread.
  public static class PlainNursery {
    NurseryState state = NurseryState.OPEN;
    CancelReason.@Nullable Kind why;
    boolean hasError;
    int running;

    public String spawn() {
      if (state != NurseryState.OPEN) {
        return "refused";
      }
      running++;
      return "spawned";
    }

    public String childReturns() {
      if (running == 0) {
        return "no child";
      }
      running--;
      settle();
      return "left";
    }

    public String childFails() {
      hasError |= running > 0;
      return childReturns();
    }

    public boolean cancel() {
      return cancel(CancelReason.Kind.EXPLICIT);
    }

    public boolean timeOut() {
      return cancel(CancelReason.Kind.TIMEOUT);
    }

    private boolean cancel(CancelReason.Kind kind) {
      if (state != NurseryState.OPEN && state != NurseryState.CLOSING) {
        return false;
      }
      state = NurseryState.CANCELLING;
      why = kind;
      settle();
      return true;
    }

    public boolean close() {
      if (state != NurseryState.OPEN) {
        return false;
      }
      state = NurseryState.CLOSING;
      settle();
      return true;
    }

    public String reason() {
      return why == null ? "none" : why.name();
    }

    public String result() {
      if (state != NurseryState.CLOSED && state != NurseryState.CANCELLED) {
        return "pending";
      }
      if (hasError) {
        return "failed";
      }
      return state == NurseryState.CANCELLED ? "cancelled " + why : "success";
    }

    private void settle() {
      if (running == 0 && state == NurseryState.CLOSING) {
        state = NurseryState.CLOSED;
      } else if (running == 0 && state == NurseryState.CANCELLING) {
        state = NurseryState.CANCELLED;
      }
    }
  }

  /// Broken on purpose: a child can read the reason before the nursery has changed its state, so
  /// that the nursery can still accept children or end with a success.
  public static class ReasonBeforeState extends RealNursery {
    private final CancelToken early = CancelToken.create();

    @Override
    @Operation
    public boolean cancel() {
      return early.cancel(CancelReason.explicit("model")) && super.cancel();
    }

    @Override
    @Operation
    public boolean timeOut() {
      return early.cancel(CancelReason.timeout("model")) && super.timeOut();
    }

    @Override
    @Operation
    public String reason() {
      return name(early.settledReason());
    }
  }

  /// Broken on purpose: a child that stops after a cancellation drops its error.
  public static class ErrorDroppedAfterCancel extends RealNursery {
    @Override
    @Operation
    public String childFails() {
      return token.settledReason() == null ? super.childFails() : childReturns();
    }
  }

  /// A pool of three effects, one of which belongs to a part.
  public static class RealBudget {
    final Budget pool = Budget.of(Amounts.NONE.effects(3));
    final Budget part = pool.carve(Amounts.NONE.effects(1)).orElseThrow();

    @Operation
    public boolean takeOne() {
      return pool.tryTake(Amounts.NONE.effects(1));
    }

    @Operation
    public boolean carveTwo() {
      return pool.carve(Amounts.NONE.effects(2)).isPresent();
    }

    @Operation
    public boolean takeOneOfThePart() {
      return part.tryTake(Amounts.NONE.effects(1));
    }

    @Operation
    public boolean recharge() {
      return pool.recharge(Amounts.NONE.effects(1));
    }

    @Operation
    public long left() {
      return pool.left().effects();
    }
  }

  /// The same for one thread.
  public static class PlainBudget {
    long left = 2;
    long inPart = 1;

    public boolean takeOne() {
      return take(1);
    }

    public boolean carveTwo() {
      return take(2);
    }

    public boolean takeOneOfThePart() {
      boolean isThere = inPart > 0;
      inPart = 0;
      return isThere;
    }

    public boolean recharge() {
      left++;
      return true;
    }

    public long left() {
      return left;
    }

    private boolean take(long amount) {
      if (amount > left) {
        return false;
      }
      left -= amount;
      return true;
    }
  }

  /// Broken on purpose: two callers may both see the last effect.
  public static class LookThenTake {
    private final AtomicLong left = new AtomicLong(2);

    @Operation
    public boolean takeOne() {
      if (left.get() < 1) {
        return false;
      }
      left.decrementAndGet();
      return true;
    }

    @Operation
    public long left() {
      return left.get();
    }
  }

  /// A pool of three effects and a part of one, which moves effects to and fro. The single steps
  /// take two locks, so only the sum at the end is the same in every interleaving.
  public static class RealGrants {
    static final long GRANTED = 3;

    final Budget pool = Budget.of(Amounts.NONE.effects(GRANTED));
    final Budget part = pool.carve(Amounts.NONE.effects(1)).orElseThrow();
    final AtomicLong spent = new AtomicLong();

    @Operation
    public boolean takeOfThePool() {
      return spend(pool);
    }

    @Operation
    public boolean takeOfThePart() {
      return spend(part);
    }

    @Operation
    public boolean rechargeThePart() {
      return part.recharge(Amounts.NONE.effects(1));
    }

    @Operation
    public void giveThePartBack() {
      part.giveBack();
    }

    @Validate
    public void nothingIsMadeOrLost() {
      long sum = pool.left().effects() + part.left().effects() + spent.get();
      if (sum != GRANTED) {
        throw new IllegalStateException("N8 expected " + GRANTED + " effects, found " + sum);
      }
    }

    private boolean spend(Budget budget) {
      boolean isTaken = budget.tryTake(Amounts.NONE.effects(1));
      if (isTaken) {
        spent.incrementAndGet();
      }
      return isTaken;
    }
  }

  /// Broken on purpose: a recharge that finds its part given back meanwhile keeps what it took.
  public static class LostRecharge extends RealGrants {
    private volatile boolean isGivenBack;

    @Override
    @Operation
    public boolean rechargeThePart() {
      if (isGivenBack || !pool.tryTake(Amounts.NONE.effects(1)) || isGivenBack) {
        return false;
      }
      part.restore(Amounts.NONE.effects(1));
      return true;
    }

    @Override
    @Operation
    public void giveThePartBack() {
      isGivenBack = true;
      part.giveBack();
    }
  }
}

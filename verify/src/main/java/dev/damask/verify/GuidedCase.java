package dev.damask.verify;

import dev.damask.event.Choice;
import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.Reply;
import dev.damask.event.Scheduler;
import dev.damask.event.TokenId;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Machine;
import dev.damask.program.Program;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A case on the real machine without data: the caller chooses the token that moves next and
/// answers its guards. It replays counterexamples and runs scenarios with `choices`.
///
/// It has one state from start to end, which is never encoded and decoded.
public final class GuidedCase {
  private final Oracle oracle = new Oracle();
  private final Machine machine;
  private final ExecState state;
  private @Nullable Integer picked;

  /// Starts a case without taking a step.
  public GuidedCase(Program program, Options options, @Nullable Tracer tracer) {
    Program scripted = Abstraction.forReplay(program, oracle, options).program();
    this.machine =
        new Machine(scripted, new Machine.Options(new Guide(), scripted.limits(), true, tracer));
    this.state = machine.start(Context.empty(), 0);
  }

  private final class Guide implements Scheduler {
    @Override
    public boolean isInOrder() {
      return false;
    }

    @Override
    public int choose(Choice choice) {
      if (choice.kind() == Choice.Kind.BRANCH) {
        return oracle.choose(choice.options().size());
      }
      return picked == null ? 0 : Math.max(0, choice.options().indexOf(picked));
    }
  }

  /// Takes one step of a token. Throws `IllegalStateException` if there is no token with this
  /// number.
  ///
  /// @param token its canonical number; 0 for the only one
  /// @param answers the answers to the questions of the step, in order
  public void reduce(int token, List<Integer> answers) {
    oracle.restart(answers);
    picked = token == 0 ? null : idOf(Exploration.tokenNumbers(state), token);
    machine.advance(state);
  }

  /// Applies an external event. Its consequences are separate steps.
  public Reply apply(Input input) {
    oracle.restart(List.of());
    Reply reply = machine.apply(state, input);
    machine.run(state, 0);
    return reply;
  }

  /// Returns the token with a canonical number.
  TokenId tokenOf(int number) {
    return new TokenId(idOf(Exploration.tokenNumbers(state), number));
  }

  /// Returns the token or frame whose timer has a canonical number.
  int timerOf(boolean isScope, int number) {
    return idOf(
        isScope ? Exploration.frameNumbers(state) : Exploration.tokenNumbers(state), number);
  }

  /// Fires a timer before it is due.
  void fire(boolean isScope, int id) {
    oracle.restart(List.of());
    Exploration.fire(machine, state, isScope, id);
    machine.run(state, 0);
  }

  /// Returns the id with a canonical number.
  static int idOf(Map<Integer, Integer> numbers, int number) {
    for (Map.Entry<Integer, Integer> entry : numbers.entrySet()) {
      if (entry.getValue() == number) {
        return entry.getKey();
      }
    }
    throw new IllegalStateException("no token or frame has the number " + number);
  }

  OptionalLong nextDue() {
    return machine.nextDue(state);
  }

  /// Returns the current state.
  @SuppressWarnings("exports") // the state is for our own modules
  public ExecState state() {
    return state;
  }

  /// Returns the latest outcome of the machine.
  public Outcome outcome() {
    return machine.outcome(state);
  }
}

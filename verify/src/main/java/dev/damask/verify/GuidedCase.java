package dev.damask.verify;

import dev.damask.exec.Choice;
import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Input;
import dev.damask.exec.Machine;
import dev.damask.exec.Outcome;
import dev.damask.exec.Reply;
import dev.damask.exec.Scheduler;
import dev.damask.exec.TokenId;
import dev.damask.exec.Tracer;
import dev.damask.program.Program;
import dev.damask.task.Context;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A case on the real machine whose data have no say: whoever plays it names the token that moves
/// next and answers what its guards would have asked the data. This is how a counterexample is
/// followed, and how a scenario with `choices` is played.
///
/// It has one state from start to end, with its own ids and contexts, never written and read back.
public final class GuidedCase {
  private final Oracle oracle = new Oracle();
  private final Machine machine;
  private final ExecState state;
  private @Nullable Integer picked;

  /// Starts a case, which takes no step by itself.
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

  /// Takes one step of a token. `IllegalStateException` when there is none of that number.
  ///
  /// @param token its canonical number; 0 for the only one
  /// @param answers to the questions the step asks, in order
  public void reduce(int token, List<Integer> answers) {
    oracle.restart(answers);
    picked = token == 0 ? null : idOf(Exploration.tokenNumbers(state), token);
    machine.step(state);
  }

  /// Something happens outside. What follows from it inside takes steps of its own.
  public Reply apply(Input input) {
    oracle.restart(List.of());
    Reply reply = machine.apply(state, input);
    machine.run(state, 0);
    return reply;
  }

  /// The token of a canonical number.
  TokenId tokenOf(int number) {
    return new TokenId(idOf(Exploration.tokenNumbers(state), number));
  }

  /// What carries a canonical number.
  static int idOf(Map<Integer, Integer> numbers, int number) {
    for (Map.Entry<Integer, Integer> entry : numbers.entrySet()) {
      if (entry.getValue() == number) {
        return entry.getKey();
      }
    }
    throw new IllegalStateException("nothing has the number " + number);
  }

  OptionalLong nextDue() {
    return machine.nextDue(state);
  }

  public ExecState state() {
    return state;
  }

  public Outcome outcome() {
    return machine.outcome(state);
  }
}

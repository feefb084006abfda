package dev.damask.trace;

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
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One case on the machine, without an engine: the caller applies inputs and decides when the
/// machine takes steps.
///
/// It records and replays cases, runs scenarios, and serves the checker, whose search loads a state
/// before every move. In a guided case the caller also chooses the token of every step, and
/// [Answers] replace the decisions that depend on data. Not safe for use by several threads.
@SuppressWarnings("exports") // states are for our own modules
public final class SteppedCase {
  private final Machine machine;
  private final @Nullable Guide guide;
  private ExecState state;

  /// The way in which a case is executed.
  ///
  /// @param raw whether to run the program without optimisation
  /// @param tracer null if the case is not traced
  public record Style(Scheduler scheduler, boolean raw, @Nullable Tracer tracer) {
    private Machine machine(Program program) {
      return new Machine(program, new Machine.Options(scheduler, program.limits(), raw, tracer));
    }
  }

  /// Makes the decisions of a guided case that depend on data.
  public interface Answers {
    /// Returns the index of one of this many options.
    int choose(int options);

    /// Starts a step whose first decisions are given.
    void restart(List<Integer> given);
  }

  private SteppedCase(Machine machine, @Nullable Guide guide, ExecState state) {
    this.machine = machine;
    this.guide = guide;
    this.state = state;
  }

  /// Starts a case without taking a step.
  public static SteppedCase start(Program program, Style style, Context context, long clockMillis) {
    Machine machine = style.machine(program);
    return new SteppedCase(machine, null, machine.start(context, clockMillis));
  }

  /// Loads a case from its encoded state without taking a step.
  public static SteppedCase resume(Program program, Style style, byte[] bytes) {
    Machine machine = style.machine(program);
    return new SteppedCase(machine, null, StateCodec.decode(machine, bytes));
  }

  /// Starts a guided case with an empty context at time zero without taking a step.
  public static SteppedCase guided(Program program, Answers answers, @Nullable Tracer tracer) {
    Guide guide = new Guide(answers);
    Machine machine = new Style(guide, true, tracer).machine(program);
    return new SteppedCase(machine, guide, machine.start(Context.empty(), 0));
  }

  /// Schedules the token that the caller chose.
  private static final class Guide implements Scheduler {
    final Answers answers;
    int token;

    Guide(Answers answers) {
      this.answers = answers;
    }

    @Override
    public boolean isInOrder() {
      return false;
    }

    @Override
    public int choose(Choice choice) {
      // The machine asks for a token once more after the step; that choice has no effect.
      return choice.kind() == Choice.Kind.BRANCH
          ? answers.choose(choice.options().size())
          : Math.max(0, choice.options().indexOf(token));
    }
  }

  /// Applies an input. The machine takes no step.
  public Reply apply(Input input) {
    return machine.apply(state, input);
  }

  /// Applies an input and determines the status of the case, without taking a step.
  public Reply applyAndSettle(Input input) {
    Reply reply = machine.apply(state, input);
    machine.run(state, 0);
    return reply;
  }

  /// Takes at most `quantum` steps.
  public Outcome run(int quantum) {
    return machine.run(state, quantum);
  }

  /// Takes steps until the case waits or has ended.
  public void runUntilBlocked() {
    while (machine.run(state, Machine.QUANTUM) instanceof Outcome.Yielded) {
      // A case in memory has no other case to make room for.
    }
  }

  /// Takes one step of a token in a guided case, with the answers as they are.
  ///
  /// @param token its id; 0 if only one token is ready
  public void step(int token) {
    guide().token = token;
    machine.advance(state);
  }

  /// Takes one step of a token in a guided case. Throws `IllegalStateException` if no token has the
  /// number.
  ///
  /// @param number its canonical number; 0 if only one token is ready
  /// @param answers the answers to the questions of the step, in order
  public void step(int number, List<Integer> answers) {
    guide().answers.restart(answers);
    step(number == 0 ? 0 : tokenOf(number).number());
  }

  /// Applies an input to a guided case and determines its status, without taking a step.
  ///
  /// @param answers the answers to the questions of the input, in order
  public Reply apply(Input input, List<Integer> answers) {
    guide().answers.restart(answers);
    return applyAndSettle(input);
  }

  /// Fires a timer of a guided case before it is due, without taking a step.
  ///
  /// @param isScope whether `id` is a frame, otherwise a token
  /// @param answers the answers to the questions of the timer, in order
  public void fire(boolean isScope, int id, List<Integer> answers) {
    guide().answers.restart(answers);
    fire(isScope, id);
  }

  private Guide guide() {
    if (guide == null) {
      throw new IllegalStateException("single steps require a guided case");
    }
    return guide;
  }

  /// Fires a timer before it is due, without taking a step.
  ///
  /// @param isScope whether `id` is a frame, otherwise a token
  public void fire(boolean isScope, int id) {
    Exploration.fire(machine, state, isScope, id);
    machine.run(state, 0);
  }

  /// Returns the token with a canonical number. Throws `IllegalStateException` if there is none.
  public TokenId tokenOf(int number) {
    return new TokenId(idOf(Exploration.tokenNumbers(state), number));
  }

  /// Returns the id of the token or frame whose timer has a canonical number. Throws
  /// `IllegalStateException` if there is none.
  public int timerOf(boolean isScope, int number) {
    return idOf(
        isScope ? Exploration.frameNumbers(state) : Exploration.tokenNumbers(state), number);
  }

  private static int idOf(Map<Integer, Integer> numbers, int number) {
    for (Map.Entry<Integer, Integer> entry : numbers.entrySet()) {
      if (entry.getValue() == number) {
        return entry.getKey();
      }
    }
    throw new IllegalStateException("no token or frame has the number " + number);
  }

  /// Replaces the state with that of a case that starts with an empty context at time zero, and
  /// returns it.
  public ExecState restart() {
    state = machine.start(Context.empty(), 0);
    return state;
  }

  /// Replaces the state with a decoded one and returns it.
  public ExecState load(byte[] bytes) {
    state = StateCodec.decode(machine, bytes);
    return state;
  }

  /// Returns the open sets of instances that end only when they are closed.
  public List<String> unclosedSets() {
    return Exploration.unclosedSets(machine, state);
  }

  /// Returns the current state.
  public ExecState state() {
    return state;
  }

  /// Returns the latest outcome of the machine.
  public Outcome outcome() {
    return machine.outcome(state);
  }
}

package dev.damask.history;

import dev.damask.event.Choice;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.Scheduler;
import dev.damask.event.StateView;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.Migration;
import dev.damask.program.ProgramHash;
import dev.damask.schedule.InOrder;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Repeats what a case did between two commits: the same inputs after the same steps, with the same
/// choices. Pure tasks run again; effects do not.
@SuppressWarnings("exports") // the state is for our own modules
public final class CommitRepetition {
  private static final int QUANTUM = 10_000;

  private final MachineSource machines;
  private final @Nullable Tracer tracer;
  private ProgramHash program;
  private @Nullable Machine machine;
  private @Nullable ExecState state; // null until the case has started
  private Taken choices = new Taken(new int[0]);
  private long revision;
  private int entry;

  /// The repetition does something else than the case did.
  static final class Diverged extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final transient PastState.Divergence divergence;

    Diverged(PastState.Divergence divergence) {
      super(divergence.sentence(), null, false, false);
      this.divergence = divergence;
    }
  }

  /// Takes the options that were taken.
  private static final class Taken implements Scheduler {
    private final int[] taken;
    private int next;

    Taken(int[] taken) {
      this.taken = taken;
    }

    @Override
    public boolean isInOrder() {
      return false;
    }

    @Override
    public int choose(Choice choice) {
      if (next == taken.length || taken[next] >= choice.options().size()) {
        throw new ChoiceMissing();
      }
      return taken[next++];
    }
  }

  private static final class ChoiceMissing extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ChoiceMissing() {
      super("it had no such choice", null, false, false);
    }
  }

  /// @param state where it begins; null for the start of the case
  CommitRepetition(
      MachineSource machines,
      ProgramHash program,
      @Nullable ExecState state,
      @Nullable Tracer tracer) {
    this.machines = machines;
    this.program = program;
    this.state = state;
    this.tracer = tracer;
  }

  /// Returns the state. The case must have started.
  public ExecState state() {
    return Objects.requireNonNull(state);
  }

  /// Returns the machine that has the state.
  public Machine machine() {
    return Objects.requireNonNull(machine);
  }

  /// Begins the inputs of a commit.
  void begin(JournalCodec.Part part) {
    revision = part.revision();
    entry = 0;
    choices = new Taken(part.choices());
    use(program);
  }

  private void use(ProgramHash next) {
    program = next;
    Scheduler scheduler = choices.taken.length == 0 ? InOrder.INSTANCE : choices;
    machine = machines.machine(next, scheduler, tracer);
  }

  /// Applies an entry after the steps that were taken before it, and returns the reply.
  Reply apply(JournalEntry next, long startedMillis) {
    try {
      if (next.event() instanceof JournalEntry.Event.Started(var first, var context)) {
        use(first);
        state = machine().start(context, startedMillis);
        entry++;
        return Reply.ACCEPTED;
      }
      advance(next.steps(), next.run());
      if (next.atMillis().isPresent()) {
        machine().apply(state(), new Input.Advance(next.atMillis().getAsLong()));
      }
      Reply reply =
          switch (next.event()) {
            case JournalEntry.Event.Started _ -> throw diverged("a case starts once");
            case JournalEntry.Event.Applied(var input) -> machine().apply(state(), input);
            case JournalEntry.Event.Paused _, JournalEntry.Event.Resumed _ -> Reply.ACCEPTED;
            case JournalEntry.Event.Migrated(var target, var mapping) -> {
              use(target);
              state =
                  switch (Migration.plan(state(), machine(), mapping)) {
                    case Migration.Migrated(var moved) -> moved;
                    case Migration.Refused(var reasons) ->
                        throw diverged("the migration is refused: " + reasons);
                  };
              yield Reply.ACCEPTED;
            }
          };
      entry++;
      drain();
      return reply;
    } catch (ChoiceMissing e) {
      throw diverged("there is a choice that the case did not have");
    }
  }

  /// Runs until so many steps were taken in the life of the case.
  void advance(long steps, JournalEntry.MachineRun run) {
    boolean rests = run == JournalEntry.MachineRun.TO_REST;
    try {
      boolean goesOn = run != JournalEntry.MachineRun.NOT;
      while (goesOn && !state().isDone() && !state().isBlocked() && state().steps() <= steps) {
        long left = steps - state().steps();
        // Something may be decided without a step, which a machine without a quantum leaves.
        machine().move(state(), (int) Math.min(QUANTUM, rests ? left + 1 : left));
        goesOn = rests || state().steps() < steps;
      }
      drain();
    } catch (ChoiceMissing e) {
      throw diverged("there is a choice that the case did not have");
    }
    if (state().steps() != steps) {
      throw diverged(
          "the machine rests after step %d, the case had taken %d steps"
              .formatted(state().steps(), steps));
    }
  }

  /// Runs until nothing moves by itself.
  void rest() {
    rest(() -> {});
  }

  /// Runs until nothing moves by itself.
  ///
  /// @param between is called before every call of the machine; what it throws ends the run
  void rest(Runnable between) {
    while (!state().isDone() && !state().isBlocked()) {
      between.run();
      machine().move(state(), QUANTUM);
    }
    drain();
  }

  private void drain() {
    state().takeStarted();
    state().takeWithdrawn();
    state().takeCancelled();
  }

  Diverged diverged(String sentence) {
    List<String> place =
        state == null
            ? List.of()
            : state().view().tokens().stream().map(StateView.Token::place).distinct().toList();
    return new Diverged(new PastState.Divergence(revision, entry, sentence, place));
  }
}

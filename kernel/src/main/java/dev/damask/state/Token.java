package dev.damask.state;

import dev.damask.event.EffectRequest;
import dev.damask.event.TokenId;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.task.EffectId;
import dev.damask.task.ProcessInfo;
import dev.damask.task.TaskAddress;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.Numbered;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// One logical thread of a case. The machine alone changes it, through its setters.
public final class Token extends Part {
  public enum State implements Numbered {
    READY(0),
    /// Waits for the result of an effect.
    EFFECT(1),
    /// Waits for an alternative, or for the places its scope holds.
    AWAIT(2),
    /// Waits on an arc of a graph join.
    QUEUED(3),
    GONE(4),
    /// Waits at the gate of a step: for its time, for its join, or while its processes are paused.
    HELD(5);

    private static final List<State> BY_NUMBER = Numbered.ordered(values());

    private final int number;

    State(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }

    public static List<State> byNumber() {
      return BY_NUMBER;
    }
  }

  public final int id;
  public Frame frame;
  public int ip;
  public Context context;

  /// The step of the last write of each key; kept only in programs with graph joins.
  public Context stamps;

  /// Remaining rounds plus one of each open count loop; null until one is entered.
  public long @Nullable [] loops;

  public State state = State.READY;
  public final long lineage;

  /// How many things came from this token so far.
  public int ordinal;

  /// The node of the net, or the step of the processes, it is at; -1 outside of both and on an arc.
  public int node = -1;

  /// The process it is; null for every other token.
  public @Nullable ProcessInfo process;

  /// The arc of the net it is queued on, or -1.
  public int arc = -1;

  /// Its number among all that were ever queued at its join; 0 when it never was.
  public int queued;

  /// What it waits for; null while it does not wait.
  public @Nullable Wait wait;

  /// Neighbours in the list of its frame.
  @Nullable Token previous;

  public @Nullable Token next;

  public Token(int id, Frame frame, int ip, Context context, Context stamps, long lineage) {
    super(frame.marks);
    this.id = id;
    this.frame = frame;
    this.ip = ip;
    this.context = context;
    this.stamps = stamps;
    this.lineage = lineage;
    touch();
  }

  public @Override boolean isGone() {
    return state == State.GONE;
  }

  void setFrame(Frame frame) {
    this.frame = frame;
    touch();
  }

  public void setIp(int ip) {
    this.ip = ip;
    touch();
  }

  public void setContext(Context context) {
    this.context = context;
    touch();
  }

  /// Sets where it is and what it holds.
  public void moveTo(int ip, Context context) {
    this.ip = ip;
    this.context = context;
    touch();
  }

  public void setStamps(Context stamps) {
    this.stamps = stamps;
    touch();
  }

  public void setLoops(long @Nullable [] loops) {
    this.loops = loops;
    touch();
  }

  public void setState(State state) {
    this.state = state;
    touch();
  }

  public void setNode(int node) {
    this.node = node;
    touch();
  }

  public void setProcess(@Nullable ProcessInfo process) {
    this.process = process;
    touch();
  }

  public void setArc(int arc) {
    this.arc = arc;
    touch();
  }

  public void setQueued(int queued) {
    this.queued = queued;
    touch();
  }

  public void setWait(@Nullable Wait wait) {
    this.wait = wait;
    if (wait != null) {
      wait.owner = this;
    }
    touch();
  }

  /// Sets the remaining rounds plus one of a count loop.
  ///
  /// @param slots how many count loops the program has
  public void setRounds(int slot, long rounds, int slots) {
    if (loops == null) {
      loops = new long[slots];
    }
    loops[slot] = rounds;
    touch();
  }

  /// The task it is at.
  public Pool.Task task(Program program) {
    return program.pools().tasks()[program.raw().code()[ip + 1]];
  }

  /// The address of the execution it waits in.
  public TaskAddress address(Program program) {
    int execution = Objects.requireNonNull(wait).execution;
    return TaskAddress.of(task(program).name(), frame.label(), execution);
  }

  /// The effect it waits for.
  public EffectRequest request(Program program) {
    Wait waits = Objects.requireNonNull(wait);
    return new EffectRequest(
        new TokenId(id),
        new EffectId(waits.effect),
        task(program),
        context,
        waits.attempt,
        waits.retrying ? OptionalLong.of(waits.due) : OptionalLong.empty(),
        frame.label(),
        waits.execution,
        frame.allowed(program.pools().regions()),
        frame.isUndone(),
        waits.spec,
        waits.computes,
        frame.undone());
  }

  public long nextLineage() {
    touch();
    return Lineage.of(lineage, ++ordinal);
  }

  /// What a token waits for and since when. Waits are numbered in the order they begin.
  public static final class Wait extends Owned {
    public final int number;

    /// When a timer ends the wait; [Timers#NEVER] when none does.
    public long due = Timers.NEVER;

    /// The alternative, among those of the wait, that the timer takes.
    public int timerAlternative = -1;

    /// The effect, for a task: its id, its attempt, and what the due time means.
    public long effect;

    public int attempt;

    /// Which execution of the task it is, from 1.
    public int execution = 1;

    public boolean retrying;

    /// Whether the function of the task runs outside and has not come back.
    public boolean computes;

    /// The request a task function made itself; null when the task's template makes it, and after a
    /// restart, when the engine's own record of the intent has it.
    public @Nullable EffectSpec spec;

    /// Whether the wait is for the places a scope holds.
    public boolean holds;

    /// The group whose join a held process waits for; null when it waits for none.
    public @Nullable Frame group;

    /// Whether some alternative needs external places only.
    public boolean external;

    /// Whether no alternative does, and some alternative needs external places and others.
    public boolean mixed;

    /// Whether `expired` is among the alternatives.
    public boolean expires;

    public Wait(int number) {
      this.number = number;
    }

    /// Whether a task waits for an operator: between two attempts, and no timer starts the next.
    public boolean isParked() {
      return retrying && due == Timers.NEVER;
    }

    public void setDue(long due) {
      this.due = due;
      touch();
    }

    public void setTimerAlternative(int timerAlternative) {
      this.timerAlternative = timerAlternative;
      touch();
    }

    public void setEffect(long effect) {
      this.effect = effect;
      touch();
    }

    public void setAttempt(int attempt) {
      this.attempt = attempt;
      touch();
    }

    public void setExecution(int execution) {
      this.execution = execution;
      touch();
    }

    public void setRetrying(boolean retrying) {
      this.retrying = retrying;
      touch();
    }

    public void setComputes(boolean computes) {
      this.computes = computes;
      touch();
    }

    public void setHolds(boolean holds) {
      this.holds = holds;
      touch();
    }

    /// Not stored: the engine has it in its record of the intent.
    public void setSpec(@Nullable EffectSpec spec) {
      this.spec = spec;
    }

    /// Not stored: it follows from the target of the group.
    public void setGroup(@Nullable Frame group) {
      this.group = group;
    }

    /// The payload of a taken token, merged into the context of the token that took it.
    public static Context receive(Context context, Context payload) {
      return payload.isEmpty() ? context : context.withAll(payload);
    }
  }

  /// Names for tokens, frames and effects that depend only on how they came about, never on the
  /// order in which a scheduler interleaved them with others.
  public static final class Lineage {
    public static final long JOIN = -1;
    public static final long COMPLETE = -2;
    public static final long HANDLER = -3;
    public static final long TIMEOUT = -4;
    public static final long END = -5;
    public static final long UNDO = -6;

    private Lineage() {}

    /// The lineage of the n-th thing that came from another.
    public static long of(long origin, long ordinal) {
      long mixed =
          origin * 0x9E3779B97F4A7C15L + ordinal * 0xD1B54A32D192ED03L + 0x632BE59BD9B4E019L;
      mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
      mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
      return mixed ^ mixed >>> 31;
    }
  }
}

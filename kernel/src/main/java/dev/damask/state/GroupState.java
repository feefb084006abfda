package dev.damask.state;

import dev.damask.event.ProcessView;
import dev.damask.program.Pool;
import dev.damask.state.Token.Wait;
import dev.damask.term.StepNode;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// What one join group keeps: who is alive in it, and what its join has got so far. The outermost
/// group has no join and keeps what belongs to all processes together.
public final class GroupState extends Part.Owned {
  public final Pool.Processes processes;

  /// The outermost group.
  public final Frame root;

  /// The index of the join that opened the group; -1 for the outermost.
  public final int join;

  /// The process that waits for this group, in the group around it; null when the join is decided.
  public @Nullable Token target;

  /// What each source delivered; null while it has not.
  public final @Nullable Context[] got;

  public int gotCount;

  /// Whether the join has been decided, one way or the other. It never opens again.
  public boolean closed;

  /// How many processes of the group stand at each step and have not been evaluated.
  public final int[] live;

  /// How many processes of the group have been evaluated and still wait for what they send.
  public int sending;

  // What follows belongs to the outermost group only.

  /// How many processes there have been; the number of the last one.
  public int made;

  public boolean paused;
  public long cost;

  /// How many processes of all groups have passed their gates and not ended; follows from them.
  public int running;

  /// How many of them there may be; follows from the context of the case, 0 until it was looked up.
  public int window;

  /// The keys of the engine; follow from the context of the case, null until they are needed.
  public @Nullable Context common;

  /// The payload of the process that ended last; null when none was evaluated to its end.
  public @Nullable Context result;

  public GroupState(Pool.Processes processes, @Nullable Frame root, Frame self, int join) {
    this.processes = processes;
    this.root = root == null ? self : root;
    this.join = join;
    this.got = new Context[join < 0 ? 0 : processes.joins()[join].from().length];
    this.live = new int[processes.steps().length];
  }

  public void setTarget(@Nullable Token target) {
    this.target = target;
    touch();
  }

  public void setClosed(boolean closed) {
    this.closed = closed;
    touch();
  }

  public void setPaused(boolean paused) {
    this.paused = paused;
    touch();
  }

  public void setCost(long cost) {
    this.cost = cost;
    touch();
  }

  public void setResult(@Nullable Context result) {
    this.result = result;
    touch();
  }

  /// A source has delivered.
  public void deliver(int source, Context payload) {
    got[source] = payload;
    gotCount++;
    touch();
  }

  /// The number of the next process.
  public int nextNumber() {
    touch();
    return ++made;
  }

  public Pool.GroupJoin spec() {
    return processes.joins()[join];
  }

  public boolean isOpen() {
    return join >= 0 && !closed;
  }

  /// Whether nothing may begin in it any more.
  public boolean isShut() {
    return closed && spec().kills();
  }

  /// Whether a join that stops the rest is closed around a process: nothing continues from it.
  public static boolean isLate(Frame frame) {
    Frame at = frame;
    for (GroupState group = group(at); group.join >= 0; group = group(at)) {
      if (group.isShut()) {
        return true;
      }
      at = at.outer();
    }
    return false;
  }

  /// The source an evaluation counts for: the first that requests it and has nothing; -1 for none.
  public int accepts(int step, boolean valid) {
    if (isOpen()) {
      Pool.GroupJoin spec = spec();
      for (int i = 0; i < got.length; i++) {
        if (spec.from()[i] == step && got[i] == null && spec.when()[i].accepts(valid)) {
          return i;
        }
      }
    }
    return -1;
  }

  /// How many of the missing sources some live process of the group can still bring about.
  public int possible() {
    BitSet reached = new BitSet(live.length);
    for (int step = 0; step < live.length; step++) {
      if (live[step] > 0) {
        reached.or(processes.reach()[step]);
      }
    }
    int possible = 0;
    for (int i = 0; i < got.length; i++) {
      possible += got[i] == null && reached.get(spec().from()[i]) ? 1 : 0;
    }
    return possible;
  }

  /// Whether a process has been evaluated and waits for what it sends.
  public static boolean isSending(Token token) {
    return token.context.has(StepNode.SENDING);
  }

  /// Whether a process has passed its gate.
  public static boolean isRunning(Token token) {
    return token.ip != group(token.frame).processes.steps()[token.node].gate();
  }

  /// Every process below the outermost group, in the order of their ids.
  public static List<Token> all(Frame root) {
    List<Frame> frames = new ArrayList<>(List.of(root));
    List<Token> tokens = new ArrayList<>();
    for (int i = 0; i < frames.size(); i++) {
      frames.addAll(frames.get(i).childList());
      for (Token token = frames.get(i).firstToken; token != null; token = token.next) {
        tokens.add(token);
      }
    }
    tokens.sort(Comparator.comparingInt(token -> token.id));
    return tokens;
  }

  /// The id of the step that a process is at.
  public static String stepOf(Token token) {
    return group(token.frame).processes.steps()[token.node].id();
  }

  /// The number of a process.
  public static int number(Token token) {
    return java.util.Objects.requireNonNull(token.process).number();
  }

  /// The group of a frame that is one.
  public static GroupState group(Frame frame) {
    return java.util.Objects.requireNonNull(frame.group);
  }

  /// A process as others see it.
  public static ProcessView view(Token token) {
    Wait wait = token.wait;
    boolean held = token.state == Token.State.HELD;
    GroupState own = group(token.frame);
    Pool.Step step = own.processes.steps()[token.node];
    Frame awaited = wait == null ? null : wait.group;
    return new ProcessView(
        number(token),
        java.util.Objects.requireNonNull(token.process).parent(),
        step.id(),
        token.ip != step.gate(),
        held && wait != null && wait.due != Timers.NEVER
            ? OptionalLong.of(wait.due)
            : OptionalLong.empty(),
        own.join < 0 ? 0 : token.frame.id,
        awaited == null ? 0 : awaited.id,
        awaited == null ? List.of() : group(awaited).sources(false),
        awaited == null ? List.of() : group(awaited).sources(true),
        token.context);
  }

  private List<String> sources(boolean onlyDelivered) {
    List<String> steps = new ArrayList<>();
    for (int i = 0; i < got.length; i++) {
      if (!onlyDelivered || got[i] != null) {
        steps.add(processes.steps()[spec().from()[i]].id());
      }
    }
    return steps;
  }
}

package dev.damask.exec;

import java.util.ArrayDeque;
import java.util.Deque;

/// A rule of the machine that must hold whatever the input; see `docs/invariants.md`.
final class Invariant {
  private Invariant() {}

  /// The engine is wrong: this case stops, others go on.
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken(String message) {
      super(message);
    }

    Broken(String message, RuntimeException cause) {
      super(message, cause);
    }
  }

  static void check(boolean holds, String rule, Object found) {
    if (!holds) {
      throw new Broken("broken invariant: " + rule + "; found " + found);
    }
  }

  /// A state whose parts do not belong together: nothing the machine does leads there, but bytes
  /// that somebody made up, with a right checksum, can.
  static Broken unfit(RuntimeException cause) {
    String rule = "I18 a state fits its program";
    return new Broken("broken invariant: " + rule + "; found " + cause, cause);
  }

  /// The invariants of a whole state, checked by tests and the simulator after every run.
  static final class Consistency {
    private Consistency() {}

    static boolean holds(ExecState state) {
      if (state.status.isEnded()) {
        Invariant.check(state.live == 0, "I10 an ended case has no token", state.live);
        return true;
      }
      Deque<Frame> open = new ArrayDeque<>();
      open.push(state.root);
      int tokens = 0;
      int effects = 0;
      int awaits = 0;
      while (!open.isEmpty()) {
        Frame frame = open.pop();
        Invariant.check(!frame.closed, "I5 an open frame has no closed frame around it", frame.id);
        int children = 0;
        for (Frame child = frame.firstChild; child != null; child = child.next) {
          Invariant.check(child.parent == frame, "I6 frames form a tree", child.id);
          open.push(child);
          children++;
        }
        Invariant.check(children == frame.children, "I6 frames count their children", frame.id);
        int own = 0;
        for (Token token = frame.firstToken; token != null; token = token.next) {
          Invariant.check(token.frame == frame, "I8 a token belongs to one frame", token.id);
          effects += token.state == Token.State.EFFECT ? 1 : 0;
          awaits += token.state == Token.State.AWAIT ? 1 : 0;
          own++;
        }
        if (frame.group != null) {
          check(frame, frame.group);
        }
        Invariant.check(own == frame.tokens, "I8 frames count their tokens", frame.id);
        boolean lasts = frame.net != null || frame.set != null || frame.kind == Frame.Kind.CASE;
        boolean idle = frame.isEmpty() && !lasts;
        Invariant.check(!idle, "I11 an empty frame is closed", frame.id + " " + frame.kind);
        tokens += own;
      }
      Invariant.check(tokens == state.live, "I8 the case counts its tokens", state.live);
      int pending = state.effects == null ? 0 : state.effects.size();
      Invariant.check(effects == pending, "I13 every effect has its token", pending);
      int waiting = state.awaits == null ? 0 : state.awaits.size();
      Invariant.check(awaits == waiting, "I13 every wait has its token", waiting);
      return true;
    }

    private static void check(Frame frame, GroupState group) {
      int live = java.util.Arrays.stream(group.live).sum();
      Invariant.check(
          live + group.sending == frame.tokens, "I17 a group counts its processes", live);
      Invariant.check(
          group.isOpen() == (group.target != null), "I16 an open join has a target", frame.id);
    }
  }
}

package dev.damask.exec;

import dev.damask.state.Frame;
import dev.damask.state.GroupState;
import dev.damask.state.Invariant;
import dev.damask.state.Token;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/// The invariants of a whole state, checked by tests and the simulator after every run.
final class Consistency {
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
    int live = Arrays.stream(group.live).sum();
    Invariant.check(live + group.sending == frame.tokens, "I17 a group counts its processes", live);
    Invariant.check(
        group.isOpen() == (group.target != null), "I16 an open join has a target", frame.id);
  }
}

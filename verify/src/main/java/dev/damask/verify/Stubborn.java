package dev.damask.verify;

/// Chooses, in each marking, a part of the enabled transitions that is enough.
///
/// ## The sets
///
/// A set is *strong stubborn* when what stands outside of it can neither disable an enabled member
/// nor enable a disabled one. It is closed under two rules: an enabled member brings everything
/// that takes from its input places; a disabled member brings all givers of one place it lacks.
/// Places that must be empty count the other way round.
///
/// ## What that is enough for
///
/// Terminal markings are the same as in the full search, and the net can always terminate if and
/// only if the reduced one can (Valmari, "Stop it, and be stubborn!", 2015). If it can, every
/// transition that ever fires also fires in the reduced search. It is not enough for the bounds of
/// places: those are proved otherwise.
final class Stubborn {
  private final PackedNet net;
  private final int[] stack;
  private final int[] member;
  private int stamp;
  private final int[] best;
  private final int[] current;
  private int currentCount;
  private final int[] enabledStamp;
  private int marking;
  private int considered;

  Stubborn(PackedNet net) {
    this.net = net;
    this.stack = new int[net.transitions];
    this.member = new int[net.transitions];
    this.best = new int[net.transitions];
    this.current = new int[net.transitions];
    this.enabledStamp = new int[net.transitions];
  }

  /// Writes the transitions to fire into the array and says how many there are.
  int select(long[] markings, int at, int[] enabled, int enabledCount, int[] result) {
    if (enabledCount < 2) {
      System.arraycopy(enabled, 0, result, 0, enabledCount);
      return enabledCount;
    }
    marking++;
    for (int i = 0; i < enabledCount; i++) {
      enabledStamp[enabled[i]] = marking;
    }
    int least = Integer.MAX_VALUE;
    // Events from outside do not happen while the machine can move, so they count for nothing then.
    considered = enabled[0] < net.internals ? net.internals : net.transitions;
    for (int i = 0; i < enabledCount && enabled[i] < considered && least > 1; i++) {
      if (close(markings, at, enabled[i], least) && currentCount < least) {
        least = currentCount;
        System.arraycopy(current, 0, best, 0, currentCount);
      }
    }
    System.arraycopy(best, 0, result, 0, least);
    return least;
  }

  /// Closes the set of one enabled transition; false when it gets no smaller than the best so far.
  private boolean close(long[] markings, int at, int seed, int least) {
    stamp++;
    currentCount = 0;
    int top = 0;
    stack[top++] = seed;
    member[seed] = stamp;
    while (top > 0) {
      int t = stack[--top];
      int[] arcs = net.inputs[t];
      if (enabledStamp[t] == marking) {
        current[currentCount++] = t;
        if (currentCount >= least) {
          return false;
        }
        for (int i = 0; i < arcs.length; i += 2) {
          top = addAll(net.takers[arcs[i]], top);
        }
        top = addForbidding(t, top);
      } else {
        int place = lacking(markings, at, arcs);
        int[] enabling =
            place >= 0 ? net.givers[place] : net.takers[inTheWay(markings, at, net.forbids[t])];
        top = addAll(enabling, top);
      }
    }
    return true;
  }

  /// Places that must be empty: who could fill them, and for whom this transition fills one.
  private int addForbidding(int t, int from) {
    int top = from;
    for (int place : net.forbids[t]) {
      top = addAll(net.givers[place], top);
    }
    int[] outputs = net.outputs[t];
    for (int i = 0; i < outputs.length; i += 2) {
      top = addAll(net.forbidders[outputs[i]], top);
    }
    return top;
  }

  private int inTheWay(long[] markings, int at, int[] places) {
    for (int place : places) {
      if (net.tokens(markings, at, place) > 0) {
        return place;
      }
    }
    throw new IllegalStateException("a disabled transition lacks a token or has one in its way");
  }

  private int addAll(int[] transitions, int from) {
    int top = from;
    for (int t : transitions) {
      if (member[t] != stamp && t < considered) {
        member[t] = stamp;
        stack[top++] = t;
      }
    }
    return top;
  }

  /// The place with the fewest givers among those that keep a transition from firing; -1 if none
  /// does.
  private int lacking(long[] markings, int at, int[] arcs) {
    int chosen = -1;
    for (int i = 0; i < arcs.length; i += 2) {
      boolean lacks = net.tokens(markings, at, arcs[i]) < arcs[i + 1];
      if (lacks && (chosen < 0 || net.givers[arcs[i]].length < net.givers[chosen].length)) {
        chosen = arcs[i];
      }
    }
    return chosen;
  }
}

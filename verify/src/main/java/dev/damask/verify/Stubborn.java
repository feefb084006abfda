package dev.damask.verify;

/// Selects a sufficient subset of the enabled transitions of each marking (partial-order
/// reduction).
///
/// ## Sets
///
/// A set is *strong stubborn* if transitions outside it can neither disable an enabled member nor
/// enable a disabled one. It is closed under two rules: an enabled member adds all consumers of its
/// input places; a disabled member adds all producers of one place that it lacks. For places that
/// must be empty, the rules are reversed.
///
/// ## Correctness
///
/// Terminal markings are the same as in the full search, and the net can always terminate if and
/// only if the reduced one can (Valmari, "Stop it, and be stubborn!", 2015). If it can, every
/// transition that ever fires also fires in the reduced search. The bounds of places are not
/// preserved; they are proved separately.
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

  /// Writes the transitions to fire into the array and returns their number.
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
    // External events do not occur while the machine can move, so they are ignored then.
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

  /// Computes the closure of one enabled transition. Returns false if it is not smaller than the
  /// best so far.
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

  /// Adds the transitions that affect places that must be empty: the producers to them, and the
  /// transitions for which this one fills such a place.
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
    throw new IllegalStateException(
        "a disabled transition must lack a token or have a place that is not empty");
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

  /// Returns the place with the fewest producers among those that disable a transition; -1 if there
  /// is none.
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

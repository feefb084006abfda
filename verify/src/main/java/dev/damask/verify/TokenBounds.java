package dev.damask.verify;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.program.Reach;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.function.IntPredicate;

/// Derives from the structure of a program how many tokens there can be and which places matter.
final class TokenBounds {
  private final Program program;
  private final int[] code;
  private final Program.Pools pools;

  private TokenBounds(Program program) {
    this.program = program;
    this.code = program.raw().code();
    this.pools = program.pools();
  }

  /// Returns whether the tokens of all graphs are bounded by their arcs: no node on a cycle sends
  /// more than one token. Nodes off the cycles run at most once per arriving token.
  static boolean areGraphsBounded(Program program) {
    TokenBounds bounds = new TokenBounds(program);
    for (int net = 0; net < program.pools().nets().length; net++) {
      if (!bounds.isBounded(net)) {
        return false;
      }
    }
    return true;
  }

  /// Returns whether the structure of the program bounds the tokens of a case: graphs are bounded,
  /// no definition calls itself, and no set of instances grows by an emission.
  static boolean areTokensBounded(Program program) {
    for (Pool.Emission emission : program.pools().emissions()) {
      if (emission.kind() != Pool.EmissionKind.PLACE) {
        return false;
      }
    }
    return program.pools().processes().length == 0
        && areGraphsBounded(program)
        && !new TokenBounds(program).isRecursive();
  }

  /// Returns the indexes of the places that are emitted to and never read. The number of their
  /// tokens has no effect.
  static BitSet unread(Program program) {
    BitSet unread = new BitSet();
    for (Pool.Emission emission : program.pools().emissions()) {
      if (emission.kind() == Pool.EmissionKind.PLACE) {
        unread.set(emission.target());
      }
    }
    for (Pool.Await await : program.pools().awaits()) {
      await.alternatives().forEach(alternative -> clear(unread, alternative.places()));
    }
    for (Pool.Region region : program.pools().regions()) {
      clear(unread, region.holds());
      if (region.marking() >= 0) {
        unread.clear(region.marking());
      }
    }
    return unread;
  }

  private static void clear(BitSet set, int[] members) {
    for (int member : members) {
      set.clear(member);
    }
  }

  private boolean isBounded(int index) {
    Pool.Net net = pools.nets()[index];
    int[][] next = new int[net.nodes().length][];
    for (int node = 0; node < next.length; node++) {
      int[] outgoing = net.nodes()[node].outgoing();
      next[node] = new int[outgoing.length];
      for (int i = 0; i < outgoing.length; i++) {
        next[node][i] = net.arcs()[outgoing[i]].target();
      }
    }
    int[] component = Structure.components(next);
    for (int node = 0; node < next.length; node++) {
      for (int target : next[node]) {
        if (component[target] == component[node] && spreads(index, node)) {
          return false;
        }
      }
    }
    return true;
  }

  /// Returns whether a node of a graph can send several tokens.
  private boolean spreads(int net, int node) {
    return reaches(
        pools.nets()[net].nodes()[node].body(),
        at -> code[at] == Code.ARRIVE && code[at + 1] == net,
        at -> code[at] == Code.PAR_FORK && pools.forks()[code[at + 1]].policy() == null);
  }

  private boolean isRecursive() {
    for (int entry = 0; entry < pools.entries().length; entry++) {
      int callee = entry;
      if (reaches(
          pools.entries()[entry].address(),
          at -> false,
          at -> code[at] == Code.CALL && code[at + 1] == callee)) {
        return true;
      }
    }
    return false;
  }

  private boolean reaches(int from, IntPredicate stop, IntPredicate goal) {
    BitSet seen = new BitSet();
    Deque<Integer> open = new ArrayDeque<>();
    open.push(from);
    while (!open.isEmpty()) {
      int at = open.pop();
      if (seen.get(at) || stop.test(at)) {
        continue;
      }
      if (goal.test(at)) {
        return true;
      }
      seen.set(at);
      Reach.successors(code, at, program.pools(), open::push);
    }
    return false;
  }
}

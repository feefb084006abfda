package dev.damask.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// How nodes share the permits of a limit. The share of a node is a pure function of what all nodes
/// need: one permit after the other goes around, first to the node whose call waits longest. So
/// every node gets its turn, also if there are fewer permits than nodes.
public final class PermitShares {
  private PermitShares() {}

  /// What a node has borrowed and needs.
  ///
  /// @param held what others must not use; at least what the node has in use
  public record Borrower(int node, int held, int needed, long rank) {}

  /// Returns how many permits a node may use.
  ///
  /// @param all the borrowers, also this node
  public static int share(int node, int limit, List<Borrower> all) {
    List<Borrower> order = new ArrayList<>(all);
    order.sort(Comparator.comparingLong(Borrower::rank).thenComparingInt(Borrower::node));
    int[] shares = new int[order.size()];
    int left = limit;
    boolean isGiven = true;
    while (left > 0 && isGiven) {
      isGiven = false;
      for (int i = 0; i < shares.length && left > 0; i++) {
        if (shares[i] < order.get(i).needed) {
          shares[i]++;
          left--;
          isGiven = true;
        }
      }
    }
    for (int i = 0; i < shares.length; i++) {
      if (order.get(i).node == node) {
        return shares[i];
      }
    }
    return 0;
  }

  /// Returns how many permits a node holds after it has asked: its share, as far as others do not
  /// hold it still, and never less than it uses.
  ///
  /// @param inUse what the node uses now
  public static int held(int node, int inUse, int limit, List<Borrower> all) {
    int others = all.stream().filter(each -> each.node != node).mapToInt(Borrower::held).sum();
    return Math.max(inUse, Math.min(share(node, limit, all), limit - others));
  }
}

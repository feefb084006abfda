package dev.damask.term;

import java.util.List;

/// When a join continues, and what happens to the branches that are still running then.
///
/// @param need how many branches must have delivered
/// @param rest what happens to the others when the join fires
/// @param shortage what happens when too few branches are left
/// @param merge how the delivered contexts become one
public record JoinPolicy(Need need, Rest rest, Shortage shortage, Merge merge) {
  /// How many branches a join waits for.
  public sealed interface Need {
    /// Every declared branch.
    record All() implements Need {}

    /// Every selected branch.
    record Sync() implements Need {}

    /// A fixed number; zero does not wait at all.
    record Count(int k) implements Need {
      public Count {
        if (k < 0) {
          throw new IllegalArgumentException("join: need must not be negative, got " + k);
        }
      }
    }
  }

  /// What happens to unfinished branches or instances once enough have delivered.
  public enum Rest {
    /// They continue, and their results are ignored.
    DRAIN,

    /// They are cancelled.
    CANCEL
  }

  /// What happens when too few branches are left to meet the need.
  public enum Shortage {
    ABORT,
    SHRINK
  }

  public JoinPolicy {
    if (merge == Merge.Standard.NEWEST) {
      throw new IllegalArgumentException("merge newest belongs to graphs");
    }
  }

  /// Waits for all branches.
  public static JoinPolicy all() {
    return new JoinPolicy(new Need.All(), Rest.DRAIN, Shortage.ABORT, Merge.Standard.LAST);
  }

  /// Waits for the selected branches, except those that were cancelled.
  public static JoinPolicy syncMerge() {
    return new JoinPolicy(new Need.Sync(), Rest.DRAIN, Shortage.SHRINK, Merge.Standard.LAST);
  }

  /// Continues after `n` branches and cancels the others.
  public static JoinPolicy firstN(int n) {
    return new JoinPolicy(new Need.Count(n), Rest.CANCEL, Shortage.ABORT, Merge.Standard.LAST);
  }

  /// Continues after the first branch and cancels the others.
  public static JoinPolicy firstComplete() {
    return firstN(1);
  }

  /// Continues after `n` branches. The others continue too, and their results are ignored.
  public static JoinPolicy partial(int n) {
    return new JoinPolicy(new Need.Count(n), Rest.DRAIN, Shortage.ABORT, Merge.Standard.LAST);
  }

  /// Does not wait at all.
  public static JoinPolicy detach() {
    return partial(0);
  }

  /// Returns this policy with another merge.
  public JoinPolicy withMerge(Merge changed) {
    return new JoinPolicy(need, rest, shortage, changed);
  }

  void requireFits(List<Term.Choice> branches) {
    boolean guarded = branches.stream().anyMatch(b -> b.guard() != null || b.otherwise());
    if (need instanceof Need.All && guarded) {
      throw new IllegalArgumentException(
          "join: need all allows no guards; use sync to wait for the selected branches");
    }
    if (need instanceof Need.Count(int k) && k > branches.size()) {
      throw new IllegalArgumentException(
          "join: need " + k + " of " + branches.size() + " branches can never be met");
    }
  }
}

package dev.damask.term;

import dev.damask.task.Expression;
import dev.damask.task.InstanceCondition;
import dev.damask.term.JoinPolicy.Rest;
import org.jspecify.annotations.Nullable;

/// How many instances of a body run, and when the flow continues.
///
/// @param count a number or a list, read once on entry; a list also binds `item`
/// @param min the smallest number allowed, else the case fails with `mi_bounds`
/// @param max the largest number allowed
/// @param open whether instances may be added while the set is running, and how long
/// @param collect the key whose values are gathered under `KEY_all`; null gathers nothing
public record InstancePolicy(
    Expression count, int min, int max, Open open, Need need, Rest rest, @Nullable String collect) {
  /// Whether instances may be added to a running set.
  public enum Open {
    NO,
    /// Until the set fires, is closed, or has run out.
    YES,
    /// Until the set fires or is closed: it does not run out before, also without any instance.
    UNTIL_CLOSED
  }

  /// How many instances must have completed.
  public sealed interface Need {
    /// Every instance.
    record All() implements Need {}

    /// A number read once on entry; zero does not wait at all.
    record Count(Expression count) implements Need {}

    /// A condition, tested at each completion.
    record When(InstanceCondition condition) implements Need {}
  }

  public InstancePolicy {
    if (min < 0 || max < min) {
      throw new IllegalArgumentException(
          "mi: expected 0 <= min <= max, got min " + min + " and max " + max);
    }
    if (collect != null) {
      Names.require("mi collect", collect);
    }
  }

  /// Returns the policy for as many instances as an expression specifies; the flow continues when
  /// all have completed.
  public static InstancePolicy of(Expression count) {
    return new InstancePolicy(
        count, 0, Integer.MAX_VALUE, Open.NO, new Need.All(), Rest.DRAIN, null);
  }

  /// Returns the policy for a fixed number of instances.
  public static InstancePolicy fixed(int count) {
    return of(Expression.constant(count));
  }

  /// Returns this policy with bounds for the number of instances.
  public InstancePolicy between(int least, int most) {
    return new InstancePolicy(count, least, most, open, need, rest, collect);
  }

  /// Returns whether instances may be added at all.
  public boolean isOpen() {
    return open != Open.NO;
  }

  /// Returns this policy for a set to which instances may be added while it runs.
  public InstancePolicy opened() {
    return new InstancePolicy(count, min, max, Open.YES, need, rest, collect);
  }

  /// Returns this policy for a set that waits for more instances until it is closed.
  public InstancePolicy openUntilClosed() {
    return new InstancePolicy(count, min, max, Open.UNTIL_CLOSED, need, rest, collect);
  }

  /// Returns this policy with another number of instances that must complete.
  public InstancePolicy need(Need changed) {
    return new InstancePolicy(count, min, max, open, changed, rest, collect);
  }

  /// Returns this policy for a set that continues after `k` instances.
  public InstancePolicy need(int k) {
    return need(new Need.Count(Expression.constant(k)));
  }

  /// Returns this policy with another treatment of unfinished instances.
  public InstancePolicy rest(Rest changed) {
    return new InstancePolicy(count, min, max, open, need, changed, collect);
  }

  /// Returns this policy with the key whose values are gathered under `KEY_all`.
  public InstancePolicy collect(String key) {
    return new InstancePolicy(count, min, max, open, need, rest, key);
  }
}

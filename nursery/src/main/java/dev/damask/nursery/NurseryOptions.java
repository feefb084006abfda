package dev.damask.nursery;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// How a nursery is to behave. Made with `named`, refined with the `with` methods.
public record NurseryOptions(
    String name,
    ErrorPolicy policy,
    ThreadKind threadKind,
    Duration grace,
    Consumer<? super ChildSnapshot> onOverdue,
    // null: a root has no bounds, a nested nursery shares the budget of its child
    @Nullable Amounts grant,
    // null: no time limit
    @Nullable Duration timeout) {

  /// How long a cancelled child may take to stop before it is reported.
  public static final Duration GRACE = Duration.ofSeconds(5);

  /// A nursery of this name: first error cancels, virtual threads, overdue children are logged.
  public static NurseryOptions named(String name) {
    return new NurseryOptions(
        name,
        ErrorPolicy.CANCEL_ON_FIRST_ERROR,
        ThreadKind.VIRTUAL,
        GRACE,
        Overdue::log,
        null,
        null);
  }

  /// The same with this policy for errors.
  public NurseryOptions withPolicy(ErrorPolicy chosen) {
    return new NurseryOptions(name, chosen, threadKind, grace, onOverdue, grant, timeout);
  }

  /// The same with this kind of thread for children that do not say otherwise.
  public NurseryOptions withThreads(ThreadKind kind) {
    return new NurseryOptions(name, policy, kind, grace, onOverdue, grant, timeout);
  }

  /// The same with this grace period.
  public NurseryOptions withGrace(Duration time) {
    return new NurseryOptions(name, policy, threadKind, time, onOverdue, grant, timeout);
  }

  /// The same, telling this listener about each child that is overdue.
  public NurseryOptions withOnOverdue(Consumer<? super ChildSnapshot> listener) {
    return new NurseryOptions(name, policy, threadKind, grace, listener, grant, timeout);
  }

  /// The same with a bounded budget; that of a nested nursery is carved from its child's.
  public NurseryOptions withGrant(Amounts amounts) {
    return new NurseryOptions(name, policy, threadKind, grace, onOverdue, amounts, timeout);
  }

  /// The same, cancelled when this time has passed.
  public NurseryOptions withTimeout(Duration time) {
    return new NurseryOptions(name, policy, threadKind, grace, onOverdue, grant, time);
  }
}

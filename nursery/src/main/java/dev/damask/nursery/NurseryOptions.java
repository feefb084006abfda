package dev.damask.nursery;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The options of a nursery. Create them with `named` and change them with the `with` methods.
public record NurseryOptions(
    String name,
    ErrorPolicy policy,
    ThreadKind threadKind,
    Duration grace,
    Consumer<? super ChildSnapshot> onOverdue,
    Consumer<? super ChildError> onError,
    // null: a root has no bounds, a nested nursery shares the budget of its child
    @Nullable Amounts grant,
    // null: no time limit
    @Nullable Duration timeout) {

  /// The default grace period: the time a cancelled child may take to stop before it is reported.
  public static final Duration GRACE = Duration.ofSeconds(5);

  public NurseryOptions {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(policy, "policy");
    Objects.requireNonNull(threadKind, "threadKind");
    Objects.requireNonNull(grace, "grace");
    Objects.requireNonNull(onOverdue, "onOverdue");
    Objects.requireNonNull(onError, "onError");
  }

  /// Returns options with this name and these defaults: the first error cancels the other children,
  /// children run on virtual threads, overdue children and errors that the result does not hold are
  /// logged.
  public static NurseryOptions named(String name) {
    return new NurseryOptions(
        name,
        ErrorPolicy.CANCEL_ON_FIRST_ERROR,
        ThreadKind.VIRTUAL,
        GRACE,
        GracePeriodMonitor.LOG_LISTENER,
        Errors.LOG_LISTENER,
        null,
        null);
  }

  /// Returns a copy with this error policy.
  public NurseryOptions withPolicy(ErrorPolicy chosen) {
    return new NurseryOptions(name, chosen, threadKind, grace, onOverdue, onError, grant, timeout);
  }

  /// Returns a copy with this default kind of thread for children.
  public NurseryOptions withThreads(ThreadKind kind) {
    return new NurseryOptions(name, policy, kind, grace, onOverdue, onError, grant, timeout);
  }

  /// Returns a copy with this grace period.
  public NurseryOptions withGrace(Duration time) {
    return new NurseryOptions(name, policy, threadKind, time, onOverdue, onError, grant, timeout);
  }

  /// Returns a copy with a listener for each child that has not stopped when the grace period is
  /// over. It runs on a thread of the nursery; an exception that it throws is logged.
  public NurseryOptions withOnOverdue(Consumer<? super ChildSnapshot> listener) {
    return new NurseryOptions(name, policy, threadKind, grace, listener, onError, grant, timeout);
  }

  /// Returns a copy with a listener for each error that the result does not hold: every error under
  /// `ErrorPolicy.SUPERVISE`, otherwise those beyond the limit of kept errors. It runs on the
  /// thread of the child that failed; an exception that it throws is logged together with the
  /// error.
  public NurseryOptions withOnError(Consumer<? super ChildError> listener) {
    return new NurseryOptions(name, policy, threadKind, grace, onOverdue, listener, grant, timeout);
  }

  /// Returns a copy with a bounded budget. A nested nursery's budget is carved from its child's.
  public NurseryOptions withGrant(Amounts amounts) {
    return new NurseryOptions(
        name, policy, threadKind, grace, onOverdue, onError, amounts, timeout);
  }

  /// Returns a copy with a timeout after which the nursery is cancelled.
  public NurseryOptions withTimeout(Duration time) {
    return new NurseryOptions(name, policy, threadKind, grace, onOverdue, onError, grant, time);
  }
}

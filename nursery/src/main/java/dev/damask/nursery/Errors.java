package dev.damask.nursery;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The errors of a nursery: the first one wins (N5), the later ones are attached to it.
final class Errors {

  /// How many later errors the first one carries; a nursery of a million children that all fail
  /// must not keep a million stack traces.
  static final int SUPPRESSED_MAX = 1_000;

  private static final VarHandle FIRST;

  static {
    try {
      FIRST = MethodHandles.lookup().findVarHandle(Errors.class, "first", ChildError.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ErrorPolicy policy;

  // written once, by compare-and-set, by the first child that fails; read by any thread
  private volatile @Nullable ChildError first;
  // both under the lock of this object
  private @Nullable List<ChildError> later; // null until there is a second error
  private int suppressed;

  Errors(ErrorPolicy policy) {
    this.policy = policy;
  }

  /// Keeps an error; true for the first.
  boolean record(ChildError error) {
    if (FIRST.compareAndSet(this, null, error)) {
      return true;
    }
    ChildError winner = first;
    if (winner != null) {
      attach(winner, error);
    }
    return false;
  }

  @Nullable ChildError first() {
    return first;
  }

  /// Every error that the policy keeps, the first one first.
  synchronized List<ChildError> all() {
    var all = new ArrayList<ChildError>();
    ChildError winner = first;
    if (winner != null) {
      all.add(winner);
    }
    if (later != null) {
      all.addAll(later);
    }
    return all;
  }

  private synchronized void attach(ChildError winner, ChildError error) {
    if (policy == ErrorPolicy.COLLECT_ALL) {
      if (later == null) {
        later = new ArrayList<>();
      }
      later.add(error);
    }
    if (suppressed < SUPPRESSED_MAX) {
      suppressed++;
      var _ = joined(winner.error(), error.error());
    }
  }

  /// The first of two exceptions, with the later one attached. Two children may well fail with one
  /// and the same exception, which cannot suppress itself.
  @SuppressWarnings("ReferenceEquality")
  static Throwable joined(@Nullable Throwable first, Throwable later) {
    if (first == null) {
      return later;
    }
    if (first != later) {
      first.addSuppressed(later);
    }
    return first;
  }

  /// Throws what callbacks threw, if they did.
  static void rethrow(@Nullable Throwable thrown) {
    switch (thrown) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException("a callback threw what it must not", thrown);
    }
  }
}

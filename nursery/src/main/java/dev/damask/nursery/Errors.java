package dev.damask.nursery;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The errors of a nursery. The first one becomes the cause (N5). Every later one is attached to
/// it, kept separately or reported to the listener (N10).
final class Errors {

  /// The maximum number of suppressed errors of the first one. A nursery with a million failing
  /// children must not keep a million stack traces.
  static final int SUPPRESSED_MAX = 1_000;

  /// The maximum number of later errors that `ErrorPolicy.COLLECT_ALL` keeps.
  static final int COLLECTED_MAX = 100_000;

  /// The default listener, which logs. A field, so that the log line can name the nursery.
  static final Consumer<ChildError> LOG_LISTENER = error -> log("", error);

  private static final System.Logger LOG = System.getLogger("dev.damask.nursery");
  private static final VarHandle FIRST;

  static {
    try {
      FIRST = MethodHandles.lookup().findVarHandle(Errors.class, "first", ChildError.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final NurseryOptions options;

  // written once, by compare-and-set, by the first child that fails; read by any thread
  private volatile @Nullable ChildError first;
  // the rest is read and written under the lock of this object
  private @Nullable List<ChildError> later; // null until an error is kept separately
  private int suppressed;
  private long count;
  private long reported;

  Errors(NurseryOptions options) {
    this.options = options;
  }

  /// Keeps or reports an error. Returns true for the first one that is kept.
  boolean record(ChildError error) {
    if (options.policy() != ErrorPolicy.SUPERVISE) {
      if (FIRST.compareAndSet(this, null, error)) {
        count(false);
        return true;
      }
      ChildError winner = first;
      if (winner != null && isKept(winner, error)) {
        count(false);
        return false;
      }
    }
    count(true);
    report(error);
    return false;
  }

  @Nullable ChildError first() {
    return first;
  }

  /// Returns the first error, then those that are kept separately.
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

  /// Returns the number of errors.
  synchronized long count() {
    return count;
  }

  /// Returns the number of errors that were passed to the listener because they are not kept.
  synchronized long reported() {
    return reported;
  }

  private synchronized void count(boolean isReported) {
    count++;
    reported += isReported ? 1 : 0;
  }

  private synchronized boolean isKept(ChildError winner, ChildError error) {
    boolean isCollecting = options.policy() == ErrorPolicy.COLLECT_ALL;
    boolean isRoom = suppressed < SUPPRESSED_MAX;
    boolean isAttached = isRoom && attach(winner.error(), error.error());
    suppressed += isRoom ? 1 : 0;
    List<ChildError> beside = later == null ? new ArrayList<>() : later;
    // An exception may reject suppressed ones, or may be a cause of the later error.
    if (isCollecting ? beside.size() < COLLECTED_MAX : isRoom && !isAttached) {
      beside.add(error);
      later = beside;
      return true;
    }
    return isAttached;
  }

  private void report(ChildError error) {
    Consumer<? super ChildError> listener = options.onError();
    try {
      if (listener == LOG_LISTENER) {
        log(" of nursery " + options.name(), error);
      } else {
        listener.accept(error);
      }
    } catch (Throwable thrown) { // a user's listener; the error must still be logged
      warn("the error listener of nursery " + options.name() + " failed", thrown);
      log(" of nursery " + options.name(), error);
    }
  }

  private static void log(String where, ChildError error) {
    warn("child " + error.child() + where + " failed", error.error());
  }

  static void warn(String message, Throwable thrown) {
    LOG.log(System.Logger.Level.WARNING, message, thrown);
  }

  /// Adds the later exception to the suppressed ones of the first, unless it is one already.
  /// Returns false if the first accepts none or is itself part of the later one.
  static boolean attach(Throwable first, Throwable later) {
    if (first == later || suppresses(first, later)) {
      return true;
    }
    if (Stopping.reaches(later, first)) {
      return false;
    }
    first.addSuppressed(later);
    return suppresses(first, later);
  }

  private static boolean suppresses(Throwable first, Throwable later) {
    return Arrays.stream(first.getSuppressed()).anyMatch(each -> each == later);
  }

  /// Returns the first of two exceptions that callbacks threw, with the later one attached or
  /// logged.
  static Throwable joined(@Nullable Throwable first, Throwable later) {
    if (first == null) {
      return later;
    }
    if (!attach(first, later)) {
      warn("a cancel callback failed", later);
    }
    return first;
  }

  /// Throws the exception of a callback, if there is one.
  static void rethrow(@Nullable Throwable thrown) {
    switch (thrown) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException("a callback threw a checked exception", thrown);
    }
  }
}

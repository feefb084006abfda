package dev.damask.nursery;

import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;

/// Separates errors from the exceptions that only report that cancelled code has stopped.
///
/// An exception reports a stop if the root of its cause chain is an interruption or a cancellation:
/// interrupted code often wraps the interruption. Its suppressed exceptions are judged one by one,
/// because a `try` statement attaches there what `close` throws. `NurseryFailed` is always an
/// error: a nursery has classified it already.
final class Stopping {

  /// Exceptions that are inspected per call. Anything beyond the limit counts as an error.
  static final int NODES_MAX = 10_000;

  private Stopping() {}

  /// Returns the errors in an exception that a cancelled child threw: the exception itself, or
  /// those of its suppressed exceptions that are errors. Empty if it only reports a stop.
  static List<Throwable> errorsIn(Throwable thrown) {
    if (isStop(thrown) && thrown.getCause() == null && thrown.getSuppressed().length == 0) {
      return List.of();
    }
    try {
      return search(thrown);
    } catch (RuntimeException | Error e) {
      // An overridden getCause may throw; then the exception cannot be classified.
      return List.of(thrown);
    }
  }

  /// Whether `target` is the exception itself, or one of its causes and suppressed exceptions at
  /// any depth. Returns true also if the limit of inspected exceptions is reached.
  static boolean reaches(Throwable from, Throwable target) {
    Set<Throwable> seen = identitySet();
    var waiting = new ArrayDeque<Throwable>();
    waiting.add(from);
    for (Throwable each = waiting.poll(); each != null; each = waiting.poll()) {
      if (each == target || seen.size() >= NODES_MAX) {
        return true;
      }
      if (seen.add(each)) {
        Collections.addAll(waiting, each.getSuppressed());
        Throwable cause = each.getCause();
        if (cause != null) {
          waiting.add(cause);
        }
      }
    }
    return false;
  }

  private static List<Throwable> search(Throwable thrown) {
    var errors = new ArrayList<Throwable>();
    Set<Throwable> seen = identitySet();
    var waiting = new ArrayDeque<Throwable>();
    waiting.add(thrown);
    int left = NODES_MAX;
    for (Throwable head = waiting.poll(); head != null; head = waiting.poll()) {
      if (!seen.add(head)) {
        continue;
      }
      List<Throwable> chain = chain(head, left);
      left -= chain.size();
      if (left > 0 && isStop(chain)) {
        chain.forEach(each -> Collections.addAll(waiting, each.getSuppressed()));
      } else {
        errors.add(head);
      }
    }
    return errors;
  }

  /// An exception and its causes, without repetition.
  private static List<Throwable> chain(Throwable head, int max) {
    var chain = new ArrayList<Throwable>();
    Set<Throwable> seen = identitySet();
    for (Throwable each = head;
        each != null && seen.add(each) && chain.size() < max;
        each = each.getCause()) {
      chain.add(each);
    }
    return chain;
  }

  private static boolean isStop(List<Throwable> chain) {
    if (chain.stream().anyMatch(NurseryFailed.class::isInstance)) {
      return false;
    }
    Throwable root = chain.getLast();
    // A chain that ends in a cycle has no root: then every part of it has to report a stop.
    return root.getCause() == null ? isStop(root) : chain.stream().allMatch(Stopping::isStop);
  }

  private static boolean isStop(Throwable thrown) {
    return thrown instanceof InterruptedException
        || thrown instanceof CancellationException
        || thrown instanceof ClosedByInterruptException
        || thrown instanceof FileLockInterruptionException
        || (thrown instanceof InterruptedIOException
            && !(thrown instanceof SocketTimeoutException));
  }

  private static Set<Throwable> identitySet() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }
}

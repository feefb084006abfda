package dev.damask.nursery;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/// Thrown when a child of a nursery failed: by `NurseryResult.orThrow`, and by `close` if no caller
/// has requested the result. The cause is the first error. Later errors are suppressed exceptions
/// of the cause, or of this exception if the cause does not accept them.
public final class NurseryFailed extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private NurseryFailed(String message, Throwable cause) {
    super(message, cause);
  }

  /// Creates an exception with the first error as its cause. Errors that the first does not carry
  /// become suppressed exceptions.
  static NurseryFailed of(ChildError first, List<ChildError> errors) {
    var failed = new NurseryFailed("child " + first.child() + " failed", first.error());
    Set<Throwable> attached = Collections.newSetFromMap(new IdentityHashMap<>());
    attached.add(first.error());
    Collections.addAll(attached, first.error().getSuppressed());
    for (ChildError each : errors) {
      if (attached.add(each.error())) {
        failed.addSuppressed(each.error());
      }
    }
    return failed;
  }
}

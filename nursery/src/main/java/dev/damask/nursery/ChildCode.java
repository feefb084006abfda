package dev.damask.nursery;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// Runs the code of a child: a `ChildBody`, a `ChildAction` or a `Callable` as the user passed it.
/// Wrapping two of them into the third would cost every parked child an object and a stack frame,
/// 32 of 784 bytes measured.
final class ChildCode {

  private ChildCode() {}

  static @Nullable Object run(@Nullable Object code, Self self) throws Exception {
    if (code instanceof ChildBody<?> body) {
      return body.run(self);
    }
    if (code instanceof ChildAction action) {
      action.run(self);
      return null;
    }
    return code instanceof Callable<?> callable ? callable.call() : null;
  }
}

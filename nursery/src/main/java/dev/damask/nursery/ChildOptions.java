package dev.damask.nursery;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// How a child is to run. Made with `named`, refined with the `with` methods.
public record ChildOptions(
    String name,
    // null: as the nursery says
    @Nullable ThreadKind threadKind,
    // null: it shares the nursery's budget
    @Nullable Amounts grant,
    // null: no time limit of its own
    @Nullable Duration timeout) {

  /// A child of this name, otherwise as its nursery says.
  public static ChildOptions named(String name) {
    return new ChildOptions(name, null, null, null);
  }

  /// The same on this kind of thread.
  public ChildOptions withThread(ThreadKind kind) {
    return new ChildOptions(name, kind, grant, timeout);
  }

  /// The same with a budget of its own, carved from the nursery's.
  public ChildOptions withGrant(Amounts amounts) {
    return new ChildOptions(name, threadKind, amounts, timeout);
  }

  /// The same, cancelled when this time has passed.
  public ChildOptions withTimeout(Duration time) {
    return new ChildOptions(name, threadKind, grant, time);
  }
}

package dev.damask.nursery;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The options of a child. Create them with `named` and change them with the `with` methods.
public record ChildOptions(
    String name,
    // null: the nursery's kind
    @Nullable ThreadKind threadKind,
    // null: it shares the nursery's budget
    @Nullable Amounts grant,
    // null: no timeout
    @Nullable Duration timeout) {

  public ChildOptions {
    Objects.requireNonNull(name, "name");
  }

  /// Returns options with this name and the nursery's settings.
  public static ChildOptions named(String name) {
    return new ChildOptions(name, null, null, null);
  }

  /// Returns a copy with this kind of thread.
  public ChildOptions withThread(ThreadKind kind) {
    return new ChildOptions(name, kind, grant, timeout);
  }

  /// Returns a copy with a separate budget that is carved from the nursery's.
  public ChildOptions withGrant(Amounts amounts) {
    return new ChildOptions(name, threadKind, amounts, timeout);
  }

  /// Returns a copy with a timeout after which the child is cancelled.
  public ChildOptions withTimeout(Duration time) {
    return new ChildOptions(name, threadKind, grant, time);
  }
}

package dev.damask.task;

import java.util.SortedMap;

/// A task function whose writes are known before it runs: it writes exactly these keys, each with
/// the value of its expression, whatever the context holds.
public interface KnownWrites {
  /// Returns the expression for each key that the function writes.
  SortedMap<String, Expression> writes();
}

package dev.damask.task;

import java.util.SortedMap;

/// A task function whose writes are known before it runs: it writes exactly these keys, each with
/// the value of its expression, whatever the context holds.
public interface KnownWrites {
  SortedMap<String, Expression> writes();
}

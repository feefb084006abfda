package dev.damask.term;

import dev.damask.task.Expression;
import dev.damask.task.Guard;

/// When a loop goes round again.
public sealed interface LoopPolicy {
  /// Tested before the body.
  record While(Guard guard) implements LoopPolicy {}

  /// Tested after the body.
  record Until(Guard guard) implements LoopPolicy {}

  /// A number of rounds, read once on entry.
  record Count(Expression count) implements LoopPolicy {}
}

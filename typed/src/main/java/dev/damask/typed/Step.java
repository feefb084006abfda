package dev.damask.typed;

import dev.damask.term.Term;

/// A part of a typed workflow, written with [Steps].
public interface Step {
  /// The part as plain data.
  Term term();
}

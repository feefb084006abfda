package dev.damask.document;

/// A property of a workflow that the checker proves. Names are names of tasks.
public sealed interface Assertion {
  /// `task` never happens before `before`.
  record NeverBefore(String task, String before) implements Assertion {}

  record AtMostOnce(String task) implements Assertion {}

  /// Once `task` has happened, `then` happens eventually.
  record LeadsTo(String task, String then) implements Assertion {}

  /// The two never run at the same time.
  record NeverTogether(String task, String other) implements Assertion {}
}

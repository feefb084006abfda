package dev.damask.document;

import java.util.List;

/// A property of a workflow that the checker proves. Names are names of tasks.
public sealed interface DocumentAssertion {
  /// `task` never happens before `before`.
  record NeverBefore(String task, String before) implements DocumentAssertion {}

  /// `task` happens at most once.
  record AtMostOnce(String task) implements DocumentAssertion {}

  /// Once `task` has happened, `then` happens eventually.
  record LeadsTo(String task, String then) implements DocumentAssertion {}

  /// The two tasks never run at the same time.
  record NeverTogether(String task, String other) implements DocumentAssertion {}

  /// The workflow itself may end a case with these statuses: `cancelled`, `failed` or both.
  record MayEnd(List<String> statuses) implements DocumentAssertion {
    public MayEnd {
      statuses = List.copyOf(statuses);
    }
  }
}

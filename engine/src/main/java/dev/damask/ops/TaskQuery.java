package dev.damask.ops;

import java.time.Instant;
import java.util.Optional;

/// Which waiting tasks to list. An empty part matches every task.
///
/// @param type only tasks of this effect type
/// @param assignee only tasks of this assignee
/// @param workflow only tasks of cases of this workflow
/// @param before only tasks that have waited since an earlier time
/// @param after the cursor of the page before; empty for the first page
/// @param limit the maximum number of tasks, from 1 to [#LIMIT_MAX]
public record TaskQuery(
    Optional<String> type,
    Optional<String> assignee,
    Optional<String> workflow,
    Optional<Instant> before,
    String after,
    int limit) {
  /// The most tasks that a page has.
  public static final int LIMIT_MAX = 1_000;

  /// Every task, 100 per page.
  public static final TaskQuery ALL =
      new TaskQuery(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), "", 100);

  public TaskQuery {
    if (limit < 1 || limit > LIMIT_MAX) {
      throw new IllegalArgumentException(
          "limit must be between 1 and %d, got %d".formatted(LIMIT_MAX, limit));
    }
  }

  /// Returns this query for one effect type.
  public TaskQuery withType(String value) {
    return new TaskQuery(Optional.of(value), assignee, workflow, before, after, limit);
  }

  /// Returns this query for one assignee.
  public TaskQuery withAssignee(String value) {
    return new TaskQuery(type, Optional.of(value), workflow, before, after, limit);
  }

  /// Returns this query for one workflow.
  public TaskQuery withWorkflow(String value) {
    return new TaskQuery(type, assignee, Optional.of(value), before, after, limit);
  }

  /// Returns this query for tasks that have waited since an earlier time.
  public TaskQuery withBefore(Instant value) {
    return new TaskQuery(type, assignee, workflow, Optional.of(value), after, limit);
  }

  /// Returns this query for another page.
  public TaskQuery withPage(String cursor, int size) {
    return new TaskQuery(type, assignee, workflow, before, cursor, size);
  }

  boolean matches(WaitingTask task) {
    return type.filter(each -> !each.equals(task.type())).isEmpty()
        && assignee.filter(each -> !each.equals(task.assignee())).isEmpty()
        && workflow.filter(each -> !each.equals(task.workflow())).isEmpty()
        && before.filter(each -> !task.since().isBefore(each)).isEmpty();
  }
}

package dev.damask.ops;

import java.util.List;

/// One page of waiting tasks, ordered by effect type; of one type, the oldest comes first.
///
/// @param next the cursor of the next page; empty if this is the last one
public record TaskPage(List<WaitingTask> tasks, String next) {
  public TaskPage {
    tasks = List.copyOf(tasks);
  }
}

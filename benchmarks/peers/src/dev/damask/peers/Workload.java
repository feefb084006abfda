package dev.damask.peers;

/// What is measured. Every peer runs the same workloads, as far as it has the feature.
enum Workload {
  /// Five tasks in a row, nothing stored; the caller waits for the end.
  SEQ5_MEMORY("five tasks, in memory"),

  /// Five tasks in a row; the start and the end are durable.
  SEQ5_DURABLE("five tasks, durable per workflow"),

  /// Five steps in a row, each durable before the next one starts.
  STEPS5_DURABLE("five steps, durable per step"),

  /// Ten parallel branches with a task each, nothing stored.
  PAR10_MEMORY("ten parallel branches, in memory"),

  /// A loop of 1,000 iterations with one task, nothing stored.
  LOOP1000_MEMORY("loop of 1,000, in memory"),

  /// Sends a message to a durable workflow that waits for it, and waits for its end. The workflow
  /// is started before the clock.
  SIGNAL_DURABLE("message to a waiting workflow, durable");

  private final String title;

  Workload(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }
}

package dev.damask.peers;

import java.util.Set;

/// One engine under measurement, or plain Java.
interface Peer extends AutoCloseable {

  /// The name and the version.
  String title();

  Set<Workload> workloads();

  /// Prepares a workload. Called once, before its first round.
  void prepare(Workload workload) throws Exception;

  /// Runs the workload once, from start to end, on the calling thread. Any thread may call it.
  void once(Workload workload) throws Exception;

  /// Starts a workflow that waits for a message and returns its id. Not measured.
  default String before(Workload workload) throws Exception {
    throw new IllegalArgumentException(title() + " does not run " + workload);
  }

  /// Sends the message and waits for the end.
  default void after(Workload workload, String id) throws Exception {
    throw new IllegalArgumentException(title() + " does not run " + workload);
  }

  @Override
  void close() throws Exception;
}

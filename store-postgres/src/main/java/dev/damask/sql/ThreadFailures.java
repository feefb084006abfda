package dev.damask.sql;

/// Logs the unexpected errors of a thread that continues after them: each once, as long as it stays
/// the same.
///
/// Used by one thread.
public final class ThreadFailures {
  private final String thread;
  private String last = "";

  /// @param thread what the thread does, for the log
  public ThreadFailures(String thread) {
    this.thread = thread;
  }

  /// Logs an error. Throws it if the JVM has no memory or stack left: then the thread ends, and its
  /// store stops accepting commits.
  public void report(Throwable thrown) {
    if (thrown instanceof VirtualMachineError e) {
      throw e;
    }
    String text = thread + " failed; it continues: " + thrown;
    System.getLogger(ThreadFailures.class.getName())
        .log(
            text.equals(last) ? System.Logger.Level.DEBUG : System.Logger.Level.ERROR,
            text,
            thrown);
    last = text;
  }
}

package dev.damask.session;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Performs the executions of rules.
@FunctionalInterface
public interface Executor {
  /// What the log keeps of it. What it throws is tried again; [Reverted] is not.
  Map<String, ? extends @Nullable Object> execute(Request request) throws Exception;

  /// An execution.
  ///
  /// @param key the same for every attempt and after every crash
  record Request(
      String to,
      String function,
      List<@Nullable Object> args,
      @Nullable Object value,
      long gasLimit,
      @Nullable Object extras,
      String key) {
    public Request {
      args = java.util.Collections.unmodifiableList(new java.util.ArrayList<>(args));
    }
  }

  /// The other side has refused: the step becomes invalid.
  final class Reverted extends Exception {
    private static final long serialVersionUID = 1L;

    /// Creates the exception; the message is the reason that the step reports.
    public Reverted(String message) {
      super(message);
    }
  }

  /// An executor that refuses everything.
  static Executor none() {
    return request -> {
      throw new Reverted("no executor is configured");
    };
  }
}

package dev.damask.session;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads state for the reads of rules. What it throws counts as a failed read.
@FunctionalInterface
public interface StateSource {
  /// The outputs, in the order of their slots.
  List<? extends @Nullable Object> read(Request request) throws Exception;

  /// A read.
  ///
  /// @param to the address it goes to
  /// @param function such as `balanceOf(address)(uint256)`
  /// @param backend selects among several back ends; empty when the rule names none
  record Request(String to, String function, List<@Nullable Object> args, String backend) {
    public Request {
      args = java.util.Collections.unmodifiableList(new java.util.ArrayList<>(args));
    }
  }

  /// A reader that knows nothing: every read fails, so defaults apply.
  static StateSource none() {
    return request -> {
      throw new IllegalStateException("no state source is configured");
    };
  }
}

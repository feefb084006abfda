package dev.damask.session;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// One process of a session.
///
/// @param iteration from 1; the process id is the number of the session, a colon, and this
/// @param parent the iteration of the process that spawned it; 0 for the first
/// @param valid how it was evaluated; empty when it was not
/// @param group the join group it belongs to; 0 for the outermost
/// @param fromGroup the join group it waits for; 0 when it is not the target of an open join
/// @param nextWakeAt when it may begin at the latest; empty when no time keeps it
/// @param expected the sources of its open join, in their order
/// @param delivered the sources it has got
/// @param joinFail the sources whose process was aborted and may come again, with the reason
/// @param payload what it waits with; empty when it has ended
/// @param reason why it was aborted; empty when it was not
/// @param updatedMillis when the last thing that was traced of it became durable: that it was made,
///   was woken, called an external service or got its response, got its join, was evaluated, or was
///   aborted
/// @param killedAt when its session ended over it; empty when that did not happen
public record ProcessInstance(
    long iteration,
    long parent,
    String step,
    Status status,
    Optional<Boolean> valid,
    int group,
    int fromGroup,
    OptionalLong nextWakeAt,
    List<String> expected,
    List<String> delivered,
    Map<String, String> joinFail,
    Map<String, @Nullable Object> payload,
    String reason,
    long updatedMillis,
    OptionalLong killedAt) {
  /// The stage of a process.
  public enum Status {
    WAITING,
    RUNNING,
    DONE,
    ABORTED;

    /// Whether the process has ended.
    public boolean isTerminal() {
      return this == DONE || this == ABORTED;
    }
  }
}

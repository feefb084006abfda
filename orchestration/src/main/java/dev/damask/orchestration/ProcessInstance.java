package dev.damask.orchestration;

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
    String reason) {
  /// A process that has not begun or has ended, and about which nothing else is known.
  static ProcessInstance of(long iteration, long parent, String step, Status status, int group) {
    return new ProcessInstance(
        iteration,
        parent,
        step,
        status,
        Optional.empty(),
        group,
        0,
        OptionalLong.empty(),
        List.of(),
        List.of(),
        Map.of(),
        Map.of(),
        "");
  }

  ProcessInstance ended(Status how, Optional<Boolean> judged, String why) {
    return new ProcessInstance(
        iteration,
        parent,
        step,
        how,
        judged,
        group,
        0,
        OptionalLong.empty(),
        List.of(),
        List.of(),
        Map.of(),
        Map.of(),
        why);
  }

  /// Where a process stands.
  public enum Status {
    WAITING,
    RUNNING,
    DONE,
    ABORTED;

    public boolean isTerminal() {
      return this == DONE || this == ABORTED;
    }
  }
}

package dev.damask.session;

import dev.damask.store.CaseStatus;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A session at its last durable revision.
///
/// @param graphHash what the session is pinned to
/// @param cancelledBy the step whose rule cancelled the session; empty if none did
/// @param failure why it failed; empty when it did not
/// @param cost what all evaluations so far have cost
/// @param result the payload of the process that ended last; empty while the session is open
/// @param processes all processes there have been, in the order they were made
/// @param updatedMillis the time of that revision
/// @param lacking the steps whose processes wait for secrets that have to be given again after a
///   restart, with the names of these
/// @param wakeUps what its rules have sent to other sessions and what came of it, in order
/// @param isSending whether wake-ups of evaluated steps have not been answered yet
public record SessionView(
    SessionKey key,
    String graph,
    String graphHash,
    CaseStatus status,
    boolean paused,
    long cost,
    Optional<String> cancelledBy,
    Optional<String> failure,
    Map<String, @Nullable Object> result,
    List<ProcessInstance> processes,
    long startedMillis,
    long updatedMillis,
    Map<String, List<String>> lacking,
    List<SentWakeUp> wakeUps,
    boolean isSending) {
  public SessionView {
    lacking = Collections.unmodifiableMap(new TreeMap<>(lacking));
    processes = List.copyOf(processes);
    wakeUps = List.copyOf(wakeUps);
  }

  /// Whether nothing begins or goes on before something comes from outside or a time is up.
  ///
  /// @param now in milliseconds
  public boolean isAtRest(long now) {
    return status != CaseStatus.RUNNING
        && !isSending
        && processes.stream().allMatch(each -> isIdle(each, now));
  }

  private boolean isIdle(ProcessInstance process, long now) {
    boolean isKept = paused || process.fromGroup() != 0 || process.nextWakeAt().orElse(now) > now;
    return switch (process.status()) {
      case RUNNING -> lacking.containsKey(process.step());
      case WAITING -> isKept;
      case DONE, ABORTED -> true;
    };
  }

  /// Why a session was cancelled; empty when it was not. It is also cancelled when its first
  /// process is aborted: nobody was evaluated to a branch then, and what nobody did is not
  /// completed.
  public Optional<String> cancellation() {
    if (status != CaseStatus.CANCELLED) {
      return Optional.empty();
    }
    if (cancelledBy.isPresent()) {
      return cancelledBy.map(step -> "by the rule of step " + step);
    }
    boolean isKilled = processes.stream().anyMatch(process -> process.killedAt().isPresent());
    return Optional.of(isKilled ? "it was killed" : "every process was aborted");
  }

  /// The processes that stand at a step or have been evaluated there, in order.
  public List<ProcessInstance> at(String step) {
    return processes.stream().filter(process -> process.step().equals(step)).toList();
  }
}

package dev.damask.session;

import dev.damask.store.CaseStatus;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A session at its last durable revision.
///
/// @param graphHash what the session is pinned to
/// @param cancelledBy the step whose rule cancelled the session; empty if none did
/// @param failure why it failed; empty when it did not
/// @param cost what all evaluations so far have cost
/// @param result the payload of the process that ended last; empty while the session is open
/// @param processes the open processes and the latest ones that have ended, in the order they were
///   created
/// @param counts how many processes there have been, by their status; each status has an entry
/// @param killed how many processes were open when the session ended; they count as aborted
/// @param updatedMillis the time of that revision
/// @param lacking the steps whose processes wait for secrets that have to be given again after a
///   restart, with the names of these
/// @param wakeUps what the rules of these processes have sent to other sessions and what came of it
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
    Map<ProcessInstance.Status, Long> counts,
    long killed,
    long startedMillis,
    long updatedMillis,
    Map<String, List<String>> lacking,
    List<SentWakeUp> wakeUps,
    boolean isSending) {
  public SessionView {
    lacking = Collections.unmodifiableMap(new TreeMap<>(lacking));
    processes = List.copyOf(processes);
    counts = Collections.unmodifiableMap(new TreeMap<>(counts));
    wakeUps = List.copyOf(wakeUps);
  }

  /// Whether the session is idle: it continues only after an input or when a timer is due.
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

  /// Returns why the session was cancelled; empty if it was not. A session whose first process is
  /// aborted is cancelled, because no process was evaluated to a branch.
  public Optional<String> cancellation() {
    if (status != CaseStatus.CANCELLED) {
      return Optional.empty();
    }
    if (cancelledBy.isPresent()) {
      return cancelledBy.map(step -> "by the rule of step " + step);
    }
    return Optional.of(killed > 0 ? "it was killed" : "every process was aborted");
  }

  /// Returns how many processes there have been.
  public long made() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /// Returns the processes of this view that a process has spawned, in order.
  ///
  /// @param parent the iteration of that process; 0 for the processes whose parent is not in this
  ///   view
  public List<ProcessInstance> children(long parent) {
    Set<Long> shown = new HashSet<>();
    if (parent == 0) {
      processes.forEach(each -> shown.add(each.iteration()));
    }
    return processes.stream()
        .filter(each -> parent == 0 ? !shown.contains(each.parent()) : each.parent() == parent)
        .toList();
  }

  /// The processes of this view that are or have been evaluated at a step, in order.
  public List<ProcessInstance> at(String step) {
    return processes.stream().filter(process -> process.step().equals(step)).toList();
  }
}

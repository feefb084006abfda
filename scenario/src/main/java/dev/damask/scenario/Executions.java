package dev.damask.scenario;

import dev.damask.event.TokenId;
import dev.damask.event.TraceEvent;
import dev.damask.event.Tracer;
import dev.damask.task.TaskAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Follows a trace and describes the executions of tasks in the notation of scenarios: `A[2]#1+`.
public final class Executions implements Tracer {
  private final Map<String, Integer> numbers = new TreeMap<>();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final Map<Integer, Execution> running = new LinkedHashMap<>();
  private final List<TraceEvent> events = new ArrayList<>();
  private final boolean all;
  private List<String> seen = new ArrayList<>();

  /// Creates a tracer that follows all tasks.
  public Executions() {
    this(true);
  }

  /// Creates a tracer that follows all tasks and keeps the trace, or one that follows only effects
  /// and keeps no trace.
  public Executions(boolean all) {
    this.all = all;
  }

  /// One execution of a task.
  private record Execution(String task, String label, int number) {
    @Override
    public String toString() {
      return task + (label.isEmpty() ? "" : "[" + label + "]") + "#" + number;
    }
  }

  @Override
  public void accept(TraceEvent event) {
    if (all) {
      events.add(event);
    }
    switch (event.kind()) {
      case STARTED -> {
        Execution execution = next(event);
        running.put(event.token(), execution);
        seen.add(execution + "+");
      }
      case COMPLETED -> end(event, "-");
      case WITHDRAWN -> end(event, "×");
      case FAILED -> end(event, "!");
      case PARKED -> seen.add(running.get(event.token()) + "?");
      case RAN -> {
        if (!event.subject().isEmpty()) {
          seen.add(next(event).toString());
        }
      }
      case ABANDONED -> seen.add("join⊘");
      case STEP, FORKED, JOINED, CANCELLED, SIGNALLED, ENDED, SPAWNED, EVALUATED, ABORTED -> {}
      case ASKED, STOPPED, WROTE, CREATED, REMOVED, PASSED, TIMED, RESET -> {}
      case RAISED, HANDLED, RETRIED, UNDOING, ADDED, CLOSED, STUCK, SENT, REJECTED -> {}
    }
  }

  @Override
  public boolean wantsAll() {
    return all;
  }

  private Execution next(TraceEvent event) {
    counts.merge(event.subject(), 1, Integer::sum);
    String key = event.subject() + "[" + event.label() + "]";
    int number = numbers.merge(key, 1, Integer::sum);
    return new Execution(event.subject(), event.label(), number);
  }

  private void end(TraceEvent event, String mark) {
    Execution execution = running.remove(event.token());
    seen.add((execution == null ? next(event) : execution) + mark);
  }

  /// Returns the observations since the last call.
  public List<String> take() {
    List<String> taken = seen;
    seen = new ArrayList<>();
    return taken;
  }

  /// Returns the token of a running execution, or token 0, which never exists, if there is none. An
  /// exact label such as `B#1` takes precedence. If no execution has it, the name is searched in
  /// all instances.
  public TokenId find(TaskAddress address) {
    int found = 0;
    for (Map.Entry<Integer, Execution> entry : running.entrySet()) {
      Execution execution = entry.getValue();
      if (execution.toString().equals(address.toString())) {
        return new TokenId(entry.getKey());
      }
      if (found == 0
          && execution.task().equals(address.task())
          && (address.instance().isEmpty() || execution.label().equals(address.label()))
          && (address.execution() == 0 || execution.number() == address.execution())) {
        found = entry.getKey();
      }
    }
    return new TokenId(found);
  }

  /// Returns the number of executions of a task over all instances.
  public int count(String task) {
    return counts.getOrDefault(task, 0);
  }

  /// Returns the trace so far.
  public List<TraceEvent> events() {
    return List.copyOf(events);
  }
}

package dev.damask.testkit;

import dev.damask.document.TaskAddress;
import dev.damask.exec.TokenId;
import dev.damask.exec.TraceEvent;
import dev.damask.exec.Tracer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Follows a trace and tells what happened in the words of scenarios: `A[2]#1+`.
public final class Executions implements Tracer {
  private final Map<String, Integer> numbers = new TreeMap<>();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final Map<Integer, Execution> running = new LinkedHashMap<>();
  private final List<TraceEvent> events = new ArrayList<>();
  private final boolean all;
  private List<String> seen = new ArrayList<>();

  public Executions() {
    this(true);
  }

  /// Follows everything and keeps the trace, or only the effects and keeps nothing but them.
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
      case RAN -> {
        if (!event.subject().isEmpty()) {
          seen.add(next(event).toString());
        }
      }
      case ABANDONED -> seen.add("join⊘");
      case STEP, FORKED, JOINED, CANCELLED, SIGNALLED, ENDED, SPAWNED, EVALUATED, ABORTED -> {}
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

  /// What has been observed since this was last called.
  public List<String> take() {
    List<String> taken = seen;
    seen = new ArrayList<>();
    return taken;
  }

  /// The token of a running execution; token 0, which never exists, when none is meant.
  public TokenId find(TaskAddress address) {
    for (Map.Entry<Integer, Execution> entry : running.entrySet()) {
      Execution execution = entry.getValue();
      if (execution.task().equals(address.task())
          && (address.instance().isEmpty() || execution.label().equals(address.label()))
          && (address.execution() == 0 || execution.number() == address.execution())) {
        return new TokenId(entry.getKey());
      }
    }
    return new TokenId(0);
  }

  /// How often a task has been executed, over all instances.
  public int count(String task) {
    return counts.getOrDefault(task, 0);
  }

  public List<TraceEvent> events() {
    return List.copyOf(events);
  }
}

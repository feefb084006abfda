package dev.damask.verify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How a workflow comes into a bad state, told step by step in its own words.
///
/// @param steps what happens, in order
/// @param end what the bad state is, one line each
/// @param stands where the tokens stand then, one path of the workflow each; empty for nets
/// @param status what the machine says about the case then; empty when no machine was asked
/// @param isShortest whether no shorter way leads to a state that is bad in this way
public record Counterexample(
    List<Step> steps, List<String> end, List<String> stands, String status, boolean isShortest) {
  public Counterexample {
    steps = List.copyOf(steps);
    end = List.copyOf(end);
    stands = List.copyOf(stands);
  }

  /// A trace that no machine was asked about.
  Counterexample(List<Step> steps, List<String> end, boolean isShortest) {
    this(steps, end, List.of(), "", isShortest);
  }

  /// One step.
  ///
  /// @param kind what kind of thing happens
  /// @param subject the task, place, scope or transition it happens to; may be empty
  /// @param label the instance it happens in, such as `2.1`; empty outside of instances
  /// @param path where the term stands in the workflow; empty for nets
  /// @param text the step as a sentence
  /// @param move how the machine takes the step
  public record Step(Kind kind, String subject, String label, String path, String text, Move move) {
    /// The subject with its instance, as scenarios address it.
    public String address() {
      return label.isEmpty() ? subject : subject + "[" + label + "]";
    }
  }

  /// What happens in a step.
  public enum Kind {
    /// The case is started.
    START,
    /// The machine moves a token by itself.
    INTERNAL,
    /// A task that runs in the machine has run.
    TASK,
    /// The outside reports that a task is done.
    DONE,
    /// The outside reports that a task has failed for good.
    FAIL,
    SIGNAL,
    TIMER,
    ADD,
    /// A transition of a net fires.
    FIRE
  }

  /// How the machine takes a step. Numbers are canonical.
  public sealed interface Move {
    /// One reduction of a token; decisions are the answers to the questions it asks, in order.
    record Reduce(int token, List<Integer> decisions) implements Move {
      public Reduce {
        decisions = List.copyOf(decisions);
      }
    }

    record Done(int token) implements Move {}

    record Fail(int token) implements Move {}

    record Signal(String place) implements Move {}

    record Timer(boolean isScope, int number) implements Move {}

    record Add(String instances) implements Move {}

    /// A transition of a net, by its index.
    record Fire(int transition) implements Move {}
  }

  /// The events from outside, in order: what a scenario document has as its steps.
  public List<Map<String, Object>> events() {
    List<Map<String, Object>> events = new ArrayList<>();
    events.add(Map.of("start", true));
    for (Step step : steps) {
      String name = step.address();
      switch (step.kind()) {
        case DONE -> events.add(Map.of("done", name));
        case FAIL -> {
          Map<String, Object> event = new LinkedHashMap<>();
          event.put("fail", name);
          event.put("reason", "failed");
          events.add(event);
        }
        case SIGNAL -> events.add(Map.of("signal", step.subject()));
        case ADD -> events.add(Map.of("add", step.subject()));
        case TIMER, START, INTERNAL, TASK, FIRE -> {}
      }
    }
    return events;
  }

  /// The places in the workflow that the steps touch, for a drawing to mark.
  public List<String> marks() {
    return steps.stream().map(Step::path).filter(path -> !path.isEmpty()).distinct().toList();
  }

  /// The whole as plain data, for JSON.
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("steps", steps.stream().map(Counterexample::toMap).toList());
    map.put("end", end);
    map.put("shortest", isShortest);
    return map;
  }

  private static Map<String, Object> toMap(Step step) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("kind", step.kind().name().toLowerCase(java.util.Locale.ROOT));
    map.put("subject", step.subject());
    if (!step.label().isEmpty()) {
      map.put("instance", step.label());
    }
    if (!step.path().isEmpty()) {
      map.put("path", step.path());
    }
    map.put("text", step.text());
    return map;
  }

  /// The steps a reader wants to see: administrative moves of tokens are left out.
  public String text() {
    StringBuilder text = new StringBuilder();
    int number = 0;
    for (Step step : steps) {
      if (step.kind() != Kind.INTERNAL || !step.text().isEmpty()) {
        text.append("%4d  %s%n".formatted(++number, step.text()));
      }
    }
    end.forEach(line -> text.append("   => ").append(line).append(System.lineSeparator()));
    return text.toString();
  }

  @Override
  public String toString() {
    return text();
  }
}

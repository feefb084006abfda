package dev.damask.verify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The steps that lead a workflow into a bad state.
///
/// @param steps the steps in order
/// @param end the description of the bad state, one line each
/// @param stands the positions of the tokens in the bad state, as paths; empty for nets
/// @param status the status of the case in the bad state; empty if it was not replayed on the
///   machine
/// @param isShortest whether no shorter trace leads to a state with this violation
public record Counterexample(
    List<Step> steps, List<String> end, List<String> stands, String status, boolean isShortest) {
  public Counterexample {
    steps = List.copyOf(steps);
    end = List.copyOf(end);
    stands = List.copyOf(stands);
  }

  /// Creates a trace that was not replayed on the machine.
  Counterexample(List<Step> steps, List<String> end, boolean isShortest) {
    this(steps, end, List.of(), "", isShortest);
  }

  /// Returns this trace with the instances and tokens of the case that replayed it.
  Counterexample as(CounterexampleReplay.End followed) {
    List<String> lines = new ArrayList<>(end);
    if (!followed.report().isEmpty()) {
      lines.subList(Math.min(1, lines.size()), lines.size()).clear();
      lines.addAll(followed.report());
    }
    return new Counterexample(followed.steps(), lines, stands, status, isShortest);
  }

  /// Returns this trace of a case without data, which fails with a reason at the end when it runs
  /// with its data.
  Counterexample failing(String reason) {
    return new Counterexample(
        steps, List.of("the case is failed with " + reason), List.of(), "failed", isShortest);
  }

  /// One step.
  ///
  /// @param kind the kind of event
  /// @param subject the task, place, scope or transition; may be empty
  /// @param label the instance, such as `2.1`; empty outside instances
  /// @param path the path of the term in the workflow; empty for nets
  /// @param text the step as a sentence
  /// @param move the move of the machine
  public record Step(Kind kind, String subject, String label, String path, String text, Move move) {
    /// Returns whether the step is shown with a number. Administrative moves of tokens are hidden.
    public boolean isShown() {
      return !text.isEmpty();
    }

    /// Returns the subject with its instance, as scenarios address it.
    public String address() {
      return label.isEmpty() ? subject : subject + "[" + label + "]";
    }
  }

  /// The kind of a step.
  public enum Kind {
    /// The case starts.
    START,
    /// The machine moves a token.
    INTERNAL,
    /// A task that runs in the machine has run.
    TASK,
    /// A task completes.
    DONE,
    /// A task fails after its last attempt.
    FAIL,
    SIGNAL,
    TIMER,
    ADD,
    CLOSE,
    /// A transition of a net fires.
    FIRE
  }

  /// A move of the machine. Numbers are canonical.
  public sealed interface Move {
    /// One reduction of a token. The decisions are the answers to its questions, in order.
    record Reduce(int token, List<Integer> decisions) implements Move {
      public Reduce {
        decisions = List.copyOf(decisions);
      }
    }

    /// A task completes.
    record Done(int token) implements Move {}

    /// A task fails after its last attempt.
    record Fail(int token) implements Move {}

    /// A signal arrives at a place.
    record Signal(String place) implements Move {}

    /// A timer fires.
    record Timer(boolean isScope, int number) implements Move {}

    /// An instance is added.
    record Add(String instances) implements Move {}

    /// A set of instances is closed.
    record Close(String instances) implements Move {}

    /// A transition of a net, by its index.
    record Fire(int transition) implements Move {}
  }

  /// Returns the external events in order, as the steps of a scenario document.
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
        case CLOSE -> events.add(Map.of("close", step.subject()));
        case TIMER, START, INTERNAL, TASK, FIRE -> {}
      }
    }
    return events;
  }

  /// Returns a sentence that the steps from an index on repeat, with the displayed number.
  static String again(List<Step> steps, int from) {
    int number = 1;
    for (Step step : steps.subList(0, from)) {
      number += step.isShown() ? 1 : 0;
    }
    return "then again from step " + number;
  }

  /// Returns the paths of the workflow that the steps touch, for a diagram.
  public List<String> marks() {
    return steps.stream().map(Step::path).filter(path -> !path.isEmpty()).distinct().toList();
  }

  /// Returns the trace as plain data, for JSON.
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

  /// One line of a trace as people read it.
  ///
  /// @param number the number of the step, or 0 for a line about steps that repeat
  /// @param path the path of the step; empty for a line about steps that repeat
  public record Line(int number, String text, String path) {}

  /// Returns the shown steps. Steps that repeat many times in a row, such as the rounds of a
  /// recursion, are listed once, followed by a line that counts the repetitions. The numbers stay
  /// those of the whole trace.
  public List<Line> lines() {
    List<Step> shown = steps.stream().filter(Step::isShown).toList();
    List<Line> lines = new ArrayList<>();
    int at = 0;
    while (at < shown.size()) {
      RepeatedSteps found = RepeatedSteps.at(shown, at);
      int listed = found == null ? 1 : found.length();
      for (int i = at; i < at + listed; i++) {
        lines.add(new Line(i + 1, shown.get(i).text(), shown.get(i).path()));
      }
      at += listed;
      if (found != null) {
        int rest = (found.times() - 1) * found.length();
        lines.add(new Line(0, found.sentence(at - listed, at + rest), ""));
        at += rest;
      }
    }
    return lines;
  }

  /// Returns the steps as text, without administrative moves of tokens.
  public String text() {
    StringBuilder text = new StringBuilder();
    for (Line line : lines()) {
      String number = line.number() == 0 ? "…" : String.valueOf(line.number());
      text.append("%4s  %s%n".formatted(number, line.text()));
    }
    end.forEach(line -> text.append("   => ").append(line).append(System.lineSeparator()));
    return text.toString();
  }

  @Override
  public String toString() {
    return text();
  }
}

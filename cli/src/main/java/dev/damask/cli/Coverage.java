package dev.damask.cli;

import dev.damask.document.ScenarioEvent;
import dev.damask.document.ScenarioStep;
import dev.damask.document.TaskAddress;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.task.EffectTemplate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Is there somebody to perform every task of a program? A case is not started otherwise.
final class Coverage {
  private static final String HTTP = "http";

  private Coverage() {}

  /// For a case in memory, which nobody could reach later.
  static void require(String file, Program program, List<ScenarioStep> events, List<String> allow) {
    List<String> sentences = new ArrayList<>();
    Set<String> open = new TreeSet<>();
    for (Pool.Task task : unanswered(program, events)) {
      if (!BuiltIns.TYPES.contains(type(task))) {
        open.add(task.name());
      }
    }
    if (!open.isEmpty()) {
      sentences.add(
          "nobody performs %s %s: answer by events such as 'done: %s' in a file given by --events"
              .formatted(
                  open.size() == 1 ? "task" : "the tasks",
                  String.join(", ", open),
                  open.iterator().next()));
    }
    sentences.addAll(withoutHosts(program, events, allow));
    refuse(file, sentences);
  }

  /// For a case on a store, whose tasks can be answered at any time.
  static void requireHosts(
      String file, Program program, List<ScenarioStep> events, List<String> allow) {
    refuse(file, withoutHosts(program, events, allow));
  }

  private static List<String> withoutHosts(
      Program program, List<ScenarioStep> events, List<String> allow) {
    Set<String> calling = new TreeSet<>();
    if (allow.isEmpty()) {
      for (Pool.Task task : unanswered(program, events)) {
        if (type(task).equals(HTTP)) {
          calling.add(task.name());
        }
      }
    }
    return calling.stream()
        .map(task ->
            "task %s needs http, and no host may be called: allow some by --allow HOST"
                .formatted(task))
        .toList();
  }

  private static void refuse(String file, List<String> sentences) {
    if (!sentences.isEmpty()) {
      throw new Refusal(file + ": " + String.join("; ", sentences));
    }
  }

  private static String type(Pool.Task task) {
    EffectTemplate template = task.template();
    return template == null ? "" : template.type();
  }

  /// The effects for which no event has a result.
  private static List<Pool.Task> unanswered(Program program, List<ScenarioStep> events) {
    Set<String> answered = answered(events);
    List<Pool.Task> tasks = new ArrayList<>();
    for (Pool.Task task : program.pools().tasks()) {
      if (task.template() != null && !answered.contains(task.name())) {
        tasks.add(task);
      }
    }
    return tasks;
  }

  private static Set<String> answered(List<ScenarioStep> events) {
    Set<String> names = new HashSet<>();
    for (ScenarioStep step : events) {
      switch (step.event()) {
        case ScenarioEvent.Done(TaskAddress task, var data) -> names.add(task.task());
        case ScenarioEvent.Fail(TaskAddress task, var reason) -> names.add(task.task());
        case ScenarioEvent.CancelTask(TaskAddress task) -> names.add(task.task());
        default -> {}
      }
    }
    return names;
  }
}

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
import java.util.TreeMap;
import java.util.TreeSet;

/// Is there somebody to perform every task of a program? A case is not started otherwise.
final class Coverage {
  /// Effect types that only the engine can perform.
  private static final Set<String> ENGINE = Set.of("http", "approval");

  private Coverage() {}

  static void require(String file, Program program, List<ScenarioStep> events) {
    Set<String> answered = answered(events);
    TreeSet<String> open = new TreeSet<>();
    TreeMap<String, String> later = new TreeMap<>();
    for (Pool.Task task : program.pools().tasks()) {
      EffectTemplate template = task.template();
      if (template == null || answered.contains(task.name())) {
        continue;
      }
      String type = template.type();
      if (ENGINE.contains(type)) {
        later.put(task.name(), type);
      } else if (!BuiltIns.TYPES.contains(type)) {
        open.add(task.name());
      }
    }
    List<String> sentences = new ArrayList<>();
    if (!open.isEmpty()) {
      sentences.add(
          "nobody performs %s %s: answer by events such as 'done: %s' in a file given by --events"
              .formatted(
                  open.size() == 1 ? "task" : "the tasks", String.join(", ", open), open.first()));
    }
    later.forEach((task, type) ->
        sentences.add(
            "task %s needs %s, which comes with the engine: answer it by an event"
                .formatted(task, type)));
    if (!sentences.isEmpty()) {
      throw new Refusal(file + ": " + String.join("; ", sentences));
    }
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

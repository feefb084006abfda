package dev.damask.script;

import dev.damask.task.TaskFunction;
import dev.damask.value.Context;
import dev.damask.value.TaskResult;
import java.time.Duration;
import java.util.List;

/// A task function that is ordinary Java code with recorded steps. It runs on its own thread and
/// again from its beginning after a crash or a long wait; steps that have a receipt return it and
/// are not performed again.
public interface ScriptFunction extends TaskFunction {
  /// The external place that keeps signals whose names the workflow does not declare. A workflow
  /// with scripts that await such signals declares it.
  String MAILBOX = "script signals";

  /// The reason of an incident: a script asks for other steps than the recorded ones.
  String DIVERGED = "script_diverged";

  /// The reason of an incident: an `Error` ended a script.
  String ERROR = "script_error";

  /// The default number of steps per run.
  int STEPS_MAX = 10_000;

  /// The default time that a waiting script stays in memory.
  Duration PATIENCE = Duration.ofSeconds(10);

  /// Runs the script from its beginning and returns the context after the task.
  Context run(ScriptRun run, Context context) throws Exception;

  /// Returns what is wrong with the payload of a signal that a step of this script awaits, one line
  /// each; empty if the step accepts it, or if no step of this function has awaited it so far.
  default List<String> problems(String signal, Context payload) {
    return List.of();
  }

  /// Returns how long a script that waits stays in memory.
  default Duration patience() {
    return PATIENCE;
  }

  /// Returns how many steps and recorded values a run may have.
  default int stepsMax() {
    return STEPS_MAX;
  }

  /// Refused: a script needs an engine.
  @SuppressWarnings("FunctionalInterfaceMethodChanged") // only the engine calls a script
  @Override
  default TaskResult run(Context context) {
    return new TaskResult.Failed("script", "a script runs in an engine only");
  }

  @Override
  default boolean isSlow() {
    return true;
  }

  @Override
  default boolean isUndoneFromStart() {
    return true;
  }
}

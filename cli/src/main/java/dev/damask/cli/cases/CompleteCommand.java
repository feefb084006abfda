package dev.damask.cli.cases;

import dev.damask.caller.PendingTask;
import dev.damask.cli.command.Streams;
import dev.damask.task.EffectId;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Completes a pending task with a result, or a scope.
@Command(
    name = "complete",
    description = {
      "Completes a pending task of a case, or all tasks of a scope.",
      "If a task and a scope have the same name, it means the task unless --scope is given."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:accepted",
      "1:rejected by the case",
      "2:no store, no such case, or a wrong option"
    })
public final class CompleteCommand extends InputCommand {
  @Parameters(
      paramLabel = "ID NAME",
      arity = "0..*",
      description =
          "The case, and the task as A, A[2] for an instance, or by its id; or the scope. "
              + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  @Option(
      names = "--data",
      paramLabel = "JSON or @FILE",
      description = "The result of the task, a JSON object.")
  private String data = "{}";

  @Option(names = "--scope", description = "NAME is a scope.")
  private boolean isScope;

  public CompleteCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    Arguments arguments = arguments(words, "ID", "NAME");
    var result = CaseInputs.data("--data", data).toMap();
    String name = arguments.get(1);
    try (CaseInputs inputs = open(arguments)) {
      Optional<PendingTask> task = isScope ? Optional.empty() : inputs.task(name);
      if (task.isPresent()) {
        EffectId id = task.get().id();
        return answer(inputs, inputs.completeTask(id, result));
      }
      if (!result.isEmpty()) {
        inputs.requireTask(name); // only a task has a result
      }
      return answer(inputs, inputs.complete(name));
    }
  }
}

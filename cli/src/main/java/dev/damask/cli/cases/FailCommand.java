package dev.damask.cli.cases;

import dev.damask.cli.command.Streams;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Fails an attempt of a pending task.
@Command(
    name = "fail",
    description = "Fails the running attempt of a pending task of a case.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:accepted",
      "1:rejected by the case",
      "2:no store, no such case or task, or a wrong option"
    })
public final class FailCommand extends InputCommand {
  @Parameters(
      paramLabel = "ID TASK",
      arity = "0..*",
      description =
          "The case, and the task as A, A[2] for an instance, or by its id. " + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  @Option(
      names = "--reason",
      paramLabel = "WORD",
      description = "The reason that the workflow's handlers receive. Default: failed.")
  private String reason = "failed";

  public FailCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    Arguments arguments = arguments(words, "ID", "TASK");
    try (CaseInputs inputs = open(arguments)) {
      var task = inputs.requireTask(arguments.get(1));
      return answer(inputs, inputs.failTask(task.id(), reason));
    }
  }
}

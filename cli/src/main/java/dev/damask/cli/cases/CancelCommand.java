package dev.damask.cli.cases;

import dev.damask.cli.command.Streams;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Withdraws a case, or a part of it.
@Command(
    name = "cancel",
    description = {
      "Cancels a case, or a scope, a set of instances or a task of it.",
      "Completed tasks are undone by the next 'damask run'."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:accepted",
      "1:rejected by the case",
      "2:no store, no such case, or a wrong option"
    })
public final class CancelCommand extends InputCommand {
  @Parameters(
      paramLabel = "ID [NAME]",
      arity = "0..*",
      description =
          "The case, and the scope, set or task to cancel. Default: the whole case. A task is named"
              + " as A, as A[2] for an instance, or by its id. "
              + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "The reason, which is stored in the result and the trace of the case.")
  private String reason = "";

  public CancelCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    Arguments arguments = arguments(words, "ID", "[NAME]");
    try (CaseInputs inputs = open(arguments)) {
      if (!arguments.has(1)) {
        return answer(inputs, inputs.cancel("case", reason));
      }
      String name = arguments.get(1);
      var task = inputs.task(name);
      // A plain name means every open activation; an instance or an id means that one task.
      return task.isPresent() && !task.get().task().equals(name)
          ? answer(inputs, inputs.cancelTask(task.get().id()))
          : answer(inputs, inputs.cancel(name, reason));
    }
  }
}

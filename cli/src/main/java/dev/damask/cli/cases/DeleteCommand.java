package dev.damask.cli.cases;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Streams;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Deletes a case that has ended.
@Command(
    name = "delete",
    description = "Deletes a case that has ended, with its receipts, trace and history.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:deleted",
      "1:the case has not ended",
      "2:no store, no such case, or a wrong option"
    })
public final class DeleteCommand extends InputCommand {
  @Parameters(paramLabel = "ID", arity = "0..*", description = "The case. " + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  public DeleteCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    Arguments arguments = arguments(words, "ID");
    String caseId = arguments.get(0);
    try (CaseInputs inputs = open(arguments)) {
      boolean isDeleted = inputs.delete();
      print(
          caseId + (isDeleted ? ": deleted" : ": not deleted, it has not ended; cancel it first"));
      return isDeleted ? Exit.OK : Exit.DIFFERENT;
    }
  }
}

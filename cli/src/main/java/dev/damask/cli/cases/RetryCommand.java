package dev.damask.cli.cases;

import dev.damask.caller.CaseReply;
import dev.damask.cli.command.Streams;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Releases a quarantined case.
@Command(
    name = "retry",
    description = "Releases a quarantined case, which resumes from its last commit.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:released",
      "1:the case is not quarantined",
      "2:no store, no such case, or a wrong option"
    })
public final class RetryCommand extends InputCommand {
  @Parameters(paramLabel = "ID", arity = "0..*", description = "The case. " + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  public RetryCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    Arguments arguments = arguments(words, "ID");
    try (CaseInputs inputs = open(arguments)) {
      CaseReply reply = inputs.retry();
      if (!reply.isAccepted() && !json) {
        streams
            .err()
            .println("damask: case " + arguments.get(0) + " is not quarantined; nothing to retry");
      }
      return answer(inputs, reply);
    }
  }
}

package dev.damask.cli.cases;

import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.Streams;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Writes keys of the context of one waiting token.
@Command(
    name = "change",
    description = {
      "Changes data of a waiting case: writes keys of the context of one token.",
      "The request of a task that waits stays the same. 'damask show' prints the tokens."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:changed",
      "1:the token does not wait, or its context would be too large",
      "2:no store, no such case, or a wrong option"
    })
public final class ChangeCommand extends InputCommand {
  @Parameters(
      paramLabel = "ID TOKEN",
      arity = "0..*",
      description =
          "The case, and the number of the token or the pending task that it waits for. "
              + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  @Option(
      names = "--data",
      paramLabel = "JSON or @FILE",
      required = true,
      description = "The keys to write, a JSON object.")
  private String data = "{}";

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      required = true,
      description = "The reason, which is stored in the journal of the case.")
  private String reason = "";

  public ChangeCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    Arguments arguments = arguments(words, "ID", "TOKEN");
    var values = CaseInputs.data("--data", data).toMap();
    try (CaseInputs inputs = open(arguments)) {
      int token = token(inputs, arguments.get(1));
      return answer(inputs, inputs.changeData(token, values, reason));
    }
  }

  private static int token(CaseInputs inputs, String text) {
    if (!text.matches("[0-9]{1,9}")) {
      return inputs.requireTask(text).token();
    }
    int number = Integer.parseInt(text);
    if (inputs.view().tokens().stream().noneMatch(each -> each.id() == number)) {
      throw new Refusal("case has no token " + number + "; see 'damask show'");
    }
    return number;
  }
}

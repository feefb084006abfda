package dev.damask.cli.cases;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Lines;
import dev.damask.cli.command.LongWork;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.Streams;
import dev.damask.json.JsonWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Checks everything in a store.
@Command(
    name = "verify",
    description = {
      "Checks a store: records decode, receipt chains are intact, indexes are consistent.",
      "Prints one line per problem."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:no problem found", "1:problems found", "2:no store, or it cannot be read"})
public final class VerifyCommand extends StoreCommand {
  @Parameters(paramLabel = "DIR", arity = "0..*", description = "The directory of the store.")
  private List<String> words = List.of();

  public VerifyCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() throws Exception {
    Arguments arguments = arguments(words);
    try (CaseBook book = CaseBook.open(arguments.host(), null)) {
      List<String> problems = LongWork.run(streams, "verifying", book::verify);
      if (json) {
        print(JsonWriter.line(JsonWriter.object("ok", problems.isEmpty(), "problems", problems)));
      } else {
        problems.forEach(problem -> print(Lines.oneLine(problem)));
        print(
            problems.isEmpty()
                ? arguments.host() + ": no problem found"
                : arguments.host() + ": " + problems.size() + " problems");
      }
      return problems.isEmpty() ? Exit.OK : Exit.DIFFERENT;
    }
  }
}

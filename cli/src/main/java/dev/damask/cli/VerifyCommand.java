package dev.damask.cli;

import dev.damask.store.Store;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Looks at everything in a store.
@Command(
    name = "verify",
    description = {
      "Looks at a whole store: states can be read, receipts are unbroken chains, indexes agree.",
      "Prints one line for each thing that does not fit."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:everything fits",
      "1:something does not",
      "2:no store, or it cannot be read"
    })
final class VerifyCommand extends StoreCommand {
  @Parameters(paramLabel = "DIR", arity = "0..*", description = "The folder of the store.")
  private List<String> words = List.of();

  VerifyCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() throws Exception {
    Arguments arguments = arguments(words);
    try (Store store = arguments.folder().open()) {
      List<String> problems = LongWork.run(streams, "verifying", store::verify);
      if (json) {
        print(Json.text(Json.object("ok", problems.isEmpty(), "problems", problems)));
      } else {
        problems.forEach(problem -> print(CommandTree.oneLine(problem)));
        print(
            problems.isEmpty()
                ? arguments.folder().path() + ": everything fits"
                : arguments.folder().path() + ": " + problems.size() + " problems");
      }
      return problems.isEmpty() ? Exit.OK : Exit.DIFFERENT;
    }
  }
}

package dev.damask.cli.cases;

import dev.damask.caller.StartReply;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.Streams;
import dev.damask.json.JsonWriter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Starts a case again under a new id.
@Command(
    name = "restart",
    description = {
      "Starts a case again under a new id, with its input or from a position.",
      "From a position, state and receipts before it are kept; open tasks are called with new"
          + " keys.",
      "The next 'damask run' performs the effects of the new case."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:started", "2:no store, no such case or position, or a wrong option"})
public final class RestartCommand extends InputCommand {
  @Parameters(
      paramLabel = "ID NEW-ID",
      arity = "0..*",
      description = "The case, and the id of the new one. " + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  @Option(
      names = "--from",
      paramLabel = "POSITION",
      description =
          "The position, as 'damask show ID --as history' prints it. Default: the input of the"
              + " case.")
  private @Nullable Long position;

  public RestartCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    Arguments arguments = arguments(words, "ID", "NEW-ID");
    String caseId = arguments.get(0);
    String newId = arguments.get(1);
    if (newId.equals(caseId)) {
      throw new Refusal("NEW-ID must differ from the id of the case, got '" + newId + "' for both");
    }
    Long from = position;
    try (CaseInputs inputs = open(arguments)) {
      StartReply reply = inputs.startAgain(newId, from);
      String word = reply.kind().name().toLowerCase(Locale.ROOT);
      print(
          json
              ? JsonWriter.line(
                  JsonWriter.object("case", newId, "reply", word, "from", caseId, "position", from))
              : newId + ": " + word + " from " + caseId + (from == null ? "" : " at " + from));
      return Exit.OK;
    }
  }
}

package dev.damask.cli;

import dev.damask.exec.Reply;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Puts a token on an external place of a case.
@Command(
    name = "signal",
    description = {
      "Sends a signal to a case in a store. When the command has answered, it is durable.",
      "Tasks that follow are performed by the next 'damask run'."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:accepted, or kept for later",
      "1:the case did not take it",
      "2:no store, no such case, or a wrong option"
    })
final class SignalCommand extends InputCommand {
  @Parameters(
      paramLabel = "ID PLACE",
      arity = "0..*",
      description = "The case and the place. " + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  @Option(
      names = "--data",
      paramLabel = "JSON or @FILE",
      description = "What the signal carries, an object.")
  private String data = "{}";

  @Option(
      names = "--message",
      paramLabel = "ID",
      description = "Makes it idempotent: a message the case has had before changes nothing.")
  private @Nullable String message;

  SignalCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    Arguments arguments = arguments(words, "ID", "PLACE");
    Map<String, @Nullable Object> payload = CaseInputs.data("--data", data).toMap();
    String caseId = arguments.get(0);
    String place = arguments.get(1);
    try (CaseInputs inputs = open(arguments)) {
      Reply reply =
          inputs.take(engine ->
              message == null
                  ? engine.signal(caseId, place, payload)
                  : engine.signal(caseId, place, payload, message));
      return answer(inputs, reply);
    }
  }
}

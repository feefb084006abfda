package dev.damask.cli.cases;

import dev.damask.caller.SignalOptions;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.Streams;
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
      "Sends a signal to a case in a store. It is durable when the command returns.",
      "The next 'damask run' performs the tasks that follow."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:accepted or buffered",
      "1:rejected by the case",
      "2:no store, no such case, or a wrong option"
    })
public final class SignalCommand extends InputCommand {
  @Parameters(
      paramLabel = "ID PLACE",
      arity = "0..*",
      description = "The case and the place. " + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  @Option(
      names = "--data",
      paramLabel = "JSON or @FILE",
      description = "The payload of the signal, a JSON object.")
  private String data = "{}";

  @Option(
      names = "--message",
      paramLabel = "ID",
      description = "The message id: a case ignores a message id that it has received before.")
  private @Nullable String message;

  @Option(
      names = "--traceparent",
      paramLabel = "TEXT",
      description = "The W3C tracing context that the effects of the case continue from now on.")
  private @Nullable String traceparent;

  public SignalCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    Arguments arguments = arguments(words, "ID", "PLACE");
    Map<String, @Nullable Object> payload = CaseInputs.data("--data", data).toMap();
    SignalOptions options = options();
    try (CaseInputs inputs = open(arguments)) {
      return answer(inputs, inputs.signal(arguments.get(1), payload, options));
    }
  }

  private SignalOptions options() {
    SignalOptions options = SignalOptions.NONE;
    options = message == null ? options : options.withMessageId(message);
    try {
      return traceparent == null ? options : options.withTraceparent(traceparent);
    } catch (IllegalArgumentException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }
}

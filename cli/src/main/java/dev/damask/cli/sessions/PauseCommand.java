package dev.damask.cli.sessions;

import dev.damask.cli.cases.CaseControl;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.Streams;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Pauses a session or a case.
@Command(
    name = "pause",
    description = {
      "Pauses a session or a case until it is resumed.",
      "The processes of a paused session do not start. A paused case stores its inputs, moves"
          + " nothing",
      "and calls nothing; timers that come due fire when it is resumed."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the case has ended, or it is paused already",
      "2:no such session or case, or the session belongs to another owner"
    })
public final class PauseCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(paramLabel = "SESSION", arity = "0..1", description = "The number of the session.")
  private @Nullable Long session;

  @Option(names = "--case", paramLabel = "ID", description = "The case instead of a session.")
  private @Nullable String caseId;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Why the case is paused; required with --case.")
  private String reason = "";

  public PauseCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    String id = caseId;
    Long number = session;
    if (id != null && number == null) {
      return CaseControl.apply(streams, store.host(), id, inputs -> inputs.pause(reason));
    }
    if (id != null || number == null) {
      throw new Refusal("pause: either SESSION or --case is required");
    }
    store.with(sessions -> {
      sessions.pause(number);
      return true;
    });
    streams.out().println("paused " + store.key(number));
    return Exit.OK;
  }
}

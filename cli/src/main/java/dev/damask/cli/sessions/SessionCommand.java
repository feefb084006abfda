package dev.damask.cli.sessions;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Streams;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Shows a session: its processes as a tree, with states, groups and waits.
@Command(
    name = "session",
    description = "Shows a session: its processes as a tree, with states, groups and waits.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "2:no such session, or it belongs to another owner"})
public final class SessionCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(paramLabel = "SESSION", description = "The number of the session.")
  private long session;

  @Option(names = "--json", description = "Prints one JSON object.")
  private boolean json;

  @Option(names = "--log", description = "Prints the evaluated steps as JSON lines instead.")
  private boolean log;

  @Option(names = "--step", paramLabel = "STEP", description = "Only this step of the log.")
  private @Nullable String step;

  public SessionCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    return store.with(sessions -> {
      if (log) {
        sessions.log(session, step).forEach(streams.out()::println);
      } else {
        SessionReport report = new SessionReport(sessions.view(session));
        streams.out().print(json ? report.json() + System.lineSeparator() : report.text());
      }
      return Exit.OK;
    });
  }
}

package dev.damask.cli.sessions;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Streams;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Ends a session with all its processes.

@Command(
    name = "kill",
    description = "Ends a session with all its processes.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "2:no such session, or it belongs to another owner"})
public final class KillCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(paramLabel = "SESSION", description = "The number of the session.")
  private long session;

  public KillCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    long affected = store.with(sessions -> sessions.kill(session));
    streams.out().println("killed " + store.key(session) + ", " + affected + " processes");
    return Exit.OK;
  }
}

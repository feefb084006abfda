package dev.damask.cli.sessions;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Streams;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Pauses a session: its processes do not start until it is resumed.

@Command(
    name = "pause",
    description = "Pauses a session: its processes do not start until it is resumed.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "2:no such session, or it belongs to another owner"})
public final class PauseCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(paramLabel = "SESSION", description = "The number of the session.")
  private long session;

  public PauseCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    store.with(sessions -> {
      sessions.pause(store.owner(), store.key(session));
      return true;
    });
    streams.out().println("paused " + store.key(session));
    return Exit.OK;
  }
}

package dev.damask.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Lets no process of a session begin until it is resumed.

@Command(
    name = "pause",
    description = "Lets no process of a session begin until it is resumed.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "2:there is no such session, or it is not yours"})
final class PauseCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(paramLabel = "SESSION", description = "The number of the session.")
  private long session;

  PauseCommand(Streams streams) {
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

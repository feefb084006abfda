package dev.damask.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Lets the processes of a paused session begin again.

@Command(
    name = "resume",
    description = "Lets the processes of a paused session begin again.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "2:there is no such session, or it is not yours"})
final class ResumeCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(paramLabel = "SESSION", description = "The number of the session.")
  private long session;

  ResumeCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    store.with(sessions -> {
      sessions.resume(store.owner(), store.key(session));
      return true;
    });
    streams.out().println("resumed " + store.key(session));
    return Exit.OK;
  }
}

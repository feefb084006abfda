package dev.damask.cli.sessions;

import dev.damask.cli.cases.CaseInputs;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.Streams;
import dev.damask.value.Context;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Wakes a waiting process, or all processes that wait at a step.
@Command(
    name = "wake",
    description = "Wakes a waiting process, or all processes that wait at a step.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:no process was waiting there",
      "2:no such session, step or process, or it belongs to another owner"
    })
public final class WakeCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(paramLabel = "SESSION", description = "The number of the session.")
  private long session;

  @Option(
      names = "--step",
      paramLabel = "STEP",
      description = "Wakes all processes that wait at this step.")
  private @Nullable String step;

  @Option(names = "--process", paramLabel = "N", description = "Wakes this process only.")
  private @Nullable Long process;

  @Option(
      names = "--payload",
      paramLabel = "JSON or @FILE",
      description = "A JSON object that is merged into the payload of the process.")
  private String payload = "{}";

  @Option(
      names = "--as",
      paramLabel = "NAME",
      description =
          "The caller. Default: the owner. Others may wake only with --step, at steps that the "
              + "session's key __wakeUp allows.")
  private @Nullable String caller;

  public WakeCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    if ((step == null) == (process == null)) {
      throw new Refusal("wake requires either --step or --process");
    }
    Context given = CaseInputs.data("--payload", payload);
    String at = step;
    long number = process == null ? 0 : process;
    String who = caller == null ? store.owner() : caller;
    long woken =
        store.with(sessions ->
            sessions.wake(session, new SessionBook.Wake(who, at, number, given.toMap())));
    streams.out().println("woken " + woken);
    return woken == 0 ? Exit.DIFFERENT : Exit.OK;
  }
}

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

/// Resumes a paused session or case.
@Command(
    name = "resume",
    description = "Resumes a paused session or case.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the case has ended, or it is not paused",
      "2:no such session or case, or the session belongs to another owner"
    })
public final class ResumeCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(paramLabel = "SESSION", arity = "0..1", description = "The number of the session.")
  private @Nullable Long session;

  @Option(names = "--case", paramLabel = "ID", description = "The case instead of a session.")
  private @Nullable String caseId;

  public ResumeCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    String id = caseId;
    Long number = session;
    if (id != null && number == null) {
      return CaseControl.apply(streams, store.host(), id, inputs -> inputs.resume());
    }
    if (id != null || number == null) {
      throw new Refusal("resume: either SESSION or --case is required");
    }
    store.with(sessions -> {
      sessions.resume(number);
      return true;
    });
    streams.out().println("resumed " + store.key(number));
    return Exit.OK;
  }
}

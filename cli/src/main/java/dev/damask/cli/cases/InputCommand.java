package dev.damask.cli.cases;

import dev.damask.api.CaseSummary;
import dev.damask.caller.CasePause;
import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.cli.command.CaseWords;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Lines;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.Streams;
import dev.damask.event.Reply;
import dev.damask.json.JsonWriter;
import dev.damask.store.CaseStatus;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// A command that sends an input to one case.
public abstract class InputCommand extends StoreCommand {
  @Option(
      names = "--document",
      paramLabel = "DOC",
      description = "The workflow document, if the store does not contain it.")
  private @Nullable Path document;

  InputCommand(Streams streams) {
    super(streams);
  }

  CaseInputs open(Arguments arguments) {
    return CaseInputs.open(arguments.host(), arguments.get(0), document);
  }

  /// Prints the reply and the status of the case, and returns the exit code.
  int answer(CaseInputs inputs, CaseReply reply) {
    CaseView view = inputs.view();
    if (json) {
      print(
          JsonWriter.line(
              JsonWriter.object(
                  "case", view.caseId(),
                  "reply", CaseInputs.word(reply.kind()),
                  "status", CaseWords.word(view.status()),
                  "revision", reply.revision())));
    } else {
      print(line(view, reply.kind()));
    }
    return exit(reply.kind());
  }

  static String line(CaseView view, Reply reply) {
    return view.caseId() + ": " + sentence(reply) + "; " + standing(view);
  }

  static int exit(Reply reply) {
    return CaseInputs.isTaken(reply) ? Exit.OK : Exit.DIFFERENT;
  }

  private static String sentence(Reply reply) {
    return switch (reply) {
      case ACCEPTED -> "accepted";
      case BUFFERED -> "buffered until the case waits for it";
      case LOST -> "lost, the case did not wait for it";
      case REJECTED -> "rejected by the case";
      case LATE -> "late, the task has ended";
      case NO_SUCH_REGION -> "no open scope or set has this name";
      case CASE_ENDED -> "the case had ended";
      case STORED -> "stored until the case is resumed";
    };
  }

  private static String why(CaseResult.Cancelled<Context> cancelled) {
    return cancelled.reason().isEmpty() ? "" : " (" + Lines.shown(cancelled.reason()) + ")";
  }

  private static String why(CasePause pause) {
    String inputs = pause.inputs() == 0 ? "" : ", inputs stored: " + pause.inputs();
    return " (" + Lines.shown(pause.reason()) + inputs + ")";
  }

  /// Returns the status and the inputs that the case waits for.
  public static String standing(CaseView view) {
    String status = CaseWords.word(view.status());
    if (view.status() == CaseStatus.PAUSED) {
      return status + view.pause().map(InputCommand::why).orElse("");
    }
    if (view.status() != CaseStatus.WAITING) {
      return status + view.cancelled().map(InputCommand::why).orElse("");
    }
    List<String> parts = new ArrayList<>();
    for (var task : view.tasks()) {
      String incident = task.isIncident() ? " (incident)" : "";
      parts.add("task " + CaseSummary.shown(task.address()) + incident);
    }
    view.places().forEach(place -> parts.add("signal " + place));
    view.nextDue().ifPresent(due -> parts.add("a timer at " + CaseWords.time(due)));
    return parts.isEmpty() ? status : status + " for " + String.join(", ", parts);
  }
}

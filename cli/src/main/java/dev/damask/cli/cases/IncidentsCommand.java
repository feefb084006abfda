package dev.damask.cli.cases;

import dev.damask.cli.command.CaseWords;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Lines;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.Streams;
import dev.damask.event.Reply;
import dev.damask.json.JsonWriter;
import dev.damask.ops.Incident;
import dev.damask.ops.IncidentQuery;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Lists the tasks that wait for an operator, and retries, skips or fails them.
@Command(
    name = "incidents",
    description = {
      "Lists the tasks that wait for an operator (list), and retries, skips or fails them.",
      "A task is an incident when its attempts are used up and it has 'onExhausted: park'. The next"
          + " 'damask run' performs the attempt of a task that was retried."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:listed, or all that match were retried, skipped or failed",
      "1:at least one that matches was not changed",
      "2:no store, no incident matches, or a wrong option"
    })
public final class IncidentsCommand extends StoreCommand {
  private static final List<String> ACTIONS = List.of("list", "retry", "skip", "fail");

  @Parameters(
      paramLabel = "[list|retry|skip|fail] [ID [TASK]]",
      arity = "0..*",
      description =
          "The action, by default list; the case, and the task as A or A[2]. " + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  @Option(
      names = "--workflow",
      paramLabel = "NAME",
      description = "Only incidents of cases of this workflow.")
  private @Nullable String workflow;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "Only incidents of effects of this type.")
  private @Nullable String type;

  @Option(
      names = "--reason",
      paramLabel = "REASON",
      description = "Only incidents with this failure reason.")
  private @Nullable String reason;

  @Option(names = "--all", description = "Changes all incidents of the store.")
  private boolean isAll;

  @Option(
      names = "--data",
      paramLabel = "JSON or @FILE",
      description = "With skip: the result of the task, a JSON object.")
  private String data = "{}";

  @Option(
      names = "--as",
      paramLabel = "REASON",
      description = "With fail: the failure reason. Default: the reason of the incident.")
  private String failure = "";

  public IncidentsCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    Arguments arguments = arguments(words, "[ACTION]", "[ID]", "[TASK]");
    String action = arguments.has(0) ? arguments.get(0) : "list";
    if (!ACTIONS.contains(action)) {
      throw new Refusal(
          "expected %s, got '%s'".formatted(String.join(", ", ACTIONS), Lines.oneLine(action)));
    }
    boolean isList = action.equals("list");
    boolean hasFilter =
        isAll || arguments.has(1) || workflow != null || type != null || reason != null;
    if (!isList && !hasFilter) {
      throw new Refusal(action + " requires a case, a filter such as --workflow, or --all");
    }
    Map<String, @Nullable Object> result = CaseInputs.data("--data", data).toMap();
    try (IncidentBook book = IncidentBook.open(arguments.host())) {
      List<Incident> found = matching(book, arguments);
      if (isList) {
        return list(found);
      }
      if (found.isEmpty()) {
        throw new Refusal("no incident matches; see 'damask incidents'");
      }
      return change(found, book.apply(new IncidentBook.Action(action, result, failure), found));
    }
  }

  private List<Incident> matching(IncidentBook book, Arguments arguments) {
    IncidentQuery query = IncidentQuery.ALL;
    query = workflow == null ? query : query.withWorkflow(workflow);
    query = type == null ? query : query.withType(type);
    query = reason == null ? query : query.withReason(reason);
    query = arguments.has(1) ? query.withCase(arguments.get(1)) : query;
    List<Incident> found = book.list(query);
    if (!arguments.has(2)) {
      return found;
    }
    String task = arguments.get(2);
    return found.stream()
        .filter(each ->
            each.task().equals(task)
                || each.address().equals(task)
                || each.address().startsWith(task + "#")
                || each.id().toString().equals(task))
        .toList();
  }

  private int list(List<Incident> found) {
    found.forEach(each -> print(json ? JsonWriter.line(json(each)) : line(each)));
    if (found.isEmpty()) {
      streams.err().println("damask: no incidents found");
    }
    return Exit.OK;
  }

  private int change(List<Incident> found, List<String> outcomes) {
    boolean isRefused = false;
    for (int i = 0; i < found.size(); i++) {
      Incident each = found.get(i);
      String outcome = outcomes.get(i);
      isRefused |= !outcome.equals(CaseInputs.word(Reply.ACCEPTED));
      if (json) {
        print(
            JsonWriter.line(
                JsonWriter.object(
                    "case", each.caseId(), "task", each.address(), "reply", outcome)));
      } else {
        print(each.caseId() + " " + each.address() + ": " + outcome);
      }
    }
    return isRefused ? Exit.DIFFERENT : Exit.OK;
  }

  private static String line(Incident each) {
    return "%s  %s  %s  %s  attempt %d  %s%s"
        .formatted(
            CaseWords.time(each.since().toEpochMilli()),
            each.workflow(),
            each.caseId(),
            each.address(),
            each.attempt(),
            each.reason(),
            each.detail().isEmpty() ? "" : ": " + Lines.oneLine(each.detail()));
  }

  private static Map<String, @Nullable Object> json(Incident each) {
    return JsonWriter.object(
        "case", each.caseId(),
        "workflow", each.workflow(),
        "task", each.address(),
        "id", each.id().toString(),
        "type", each.type(),
        "attempt", each.attempt(),
        "since", CaseWords.time(each.since().toEpochMilli()),
        "reason", each.reason(),
        "detail", each.detail());
  }
}

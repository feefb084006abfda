package dev.damask.cli.cases;

import dev.damask.cli.command.CaseWords;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Fields;
import dev.damask.cli.command.Lines;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.Streams;
import dev.damask.json.JsonWriter;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseStatus;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Lists the cases of a store.
@Command(
    name = "cases",
    description = "Lists the cases of a store in pages, ordered by status and start time.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:listed", "2:no store, or a wrong option"})
public final class CasesCommand extends StoreCommand {
  @Parameters(paramLabel = "DIR", arity = "0..*", description = "The directory of the store.")
  private List<String> words = List.of();

  @Option(names = "--workflow", paramLabel = "NAME", description = "Only cases of this workflow.")
  private @Nullable String workflow;

  @Option(
      names = "--status",
      paramLabel = "STATUS",
      completionCandidates = Statuses.class,
      description = "Only cases that are ${COMPLETION-CANDIDATES}.")
  private @Nullable String status;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description =
          "Only cases that started at or after a time such as 2026-11-15T10:00:00Z, "
              + "or within a duration such as PT2H before now.")
  private @Nullable String since;

  @Option(
      names = "--until",
      paramLabel = "TIME",
      description = "Only cases that started before this time.")
  private @Nullable String until;

  @Option(
      names = "--where",
      paramLabel = "QUERY",
      description =
          "Only cases that match a query such as \"customer = 'acme' and price > 100 and"
              + " waitingFor = ship\".")
  private @Nullable String where;

  @Option(names = "--limit", paramLabel = "N", description = "The page size. Default: 50.")
  private int limit = 50;

  @Option(
      names = "--after",
      paramLabel = "CURSOR",
      description = "Prints the page after the one that printed this cursor.")
  private String after = "";

  /// The values of `--status`.
  static final class Statuses implements Iterable<String> {
    static final List<String> ALL =
        Arrays.stream(CaseStatus.values()).map(CaseWords::word).toList();

    @Override
    public java.util.Iterator<String> iterator() {
      return ALL.iterator();
    }
  }

  public CasesCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    Arguments arguments = arguments(words);
    CaseQuery query = query();
    try (CaseBook book = CaseBook.open(arguments.host(), null)) {
      CaseBook.Page page = page(book, query);
      if (json) {
        print(
            JsonWriter.line(
                JsonWriter.object(
                    "cases",
                    page.cases(),
                    "next",
                    page.next().isEmpty() ? null : page.next(),
                    "missingPrograms",
                    page.missing())));
        return Exit.OK;
      }
      for (Map<String, @Nullable Object> each : page.cases()) {
        print(line(each));
      }
      page.notIndexed().forEach(each -> streams.err().println("damask: " + each));
      page.missing().forEach(each -> streams.err().println("damask: " + each));
      if (!page.next().isEmpty()) {
        streams.err().println("damask: more cases follow; add --after '" + page.next() + "'");
      } else if (page.cases().isEmpty()) {
        streams.err().println("damask: no cases found");
      }
      return Exit.OK;
    }
  }

  private CaseBook.Page page(CaseBook book, CaseQuery query) {
    try {
      return book.cases(query, where == null ? "" : where);
    } catch (IllegalArgumentException e) {
      if (after.isEmpty()) {
        throw e;
      }
      throw new Refusal(
          "--after must be a cursor that 'damask cases' has printed, got '" + after + "'");
    }
  }

  private CaseQuery query() {
    if (limit < 1 || limit > CaseQuery.LIMIT_MAX) {
      throw new Refusal("--limit must be between 1 and " + CaseQuery.LIMIT_MAX + ", got " + limit);
    }
    CaseStatus wanted = null;
    if (status != null) {
      int index = Statuses.ALL.indexOf(status);
      if (index < 0) {
        throw new Refusal(
            "--status must be one of %s, got '%s'"
                .formatted(String.join(", ", Statuses.ALL), status));
      }
      wanted = CaseStatus.byNumber().get(index);
    }
    long from = since == null ? Long.MIN_VALUE : millis("--since", since);
    long before = until == null ? Long.MAX_VALUE : millis("--until", until);
    CaseQuery query = parsed();
    if (workflow != null) {
      query = query.withWorkflow(workflow);
    }
    if (wanted != null) {
      query = query.withStatus(wanted);
    }
    return query
        .withStarted(Math.max(from, query.fromMillis()), Math.min(before, query.untilMillis()))
        .withPage(after, limit);
  }

  private CaseQuery parsed() {
    if (where == null) {
      return CaseQuery.ALL;
    }
    try {
      CaseQuery parsed = CaseQuery.parse(where);
      if (workflow != null && parsed.workflow() != null) {
        throw new Refusal("--workflow and --where both name a workflow; use one of them");
      }
      if (status != null && parsed.status() != null) {
        throw new Refusal("--status and --where both name a status; use one of them");
      }
      return parsed;
    } catch (IllegalArgumentException e) {
      throw new Refusal("--where: " + e.getMessage());
    }
  }

  private static long millis(String option, String text) {
    try {
      return text.startsWith("P")
          ? Instant.now().minus(Duration.parse(text)).toEpochMilli()
          : Instant.parse(text).toEpochMilli();
    } catch (DateTimeException | ArithmeticException e) {
      throw new Refusal(
          option
              + " must be a time such as 2026-11-15T10:00:00Z or a duration such as PT2H, got '"
              + text
              + "'");
    }
  }

  private static String line(Map<String, @Nullable Object> item) {
    StringBuilder attributes = new StringBuilder();
    Fields.object(item, "attributes")
        .forEach((name, value) ->
            attributes.append("  ").append(name).append('=').append(Lines.shown(plain(value))));
    String status = Fields.text(item, "status");
    return "%-11s  %s  %s  %s%s"
        .formatted(
            status,
            item.get("started"),
            status.equals(CaseWords.word(CaseStatus.CORRUPT)) ? "?" : item.get("workflow"),
            item.get("case"),
            attributes);
  }

  private static String plain(@Nullable Object value) {
    return value instanceof Number number
        ? new BigDecimal(number.toString()).toPlainString()
        : String.valueOf(value);
  }
}

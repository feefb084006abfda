package dev.damask.cli.run;

import dev.damask.cli.cases.CaseInputs;
import dev.damask.cli.cases.CaseReport;
import dev.damask.cli.command.Documents;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.GraphFiles;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.SecretArguments;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.StoreFolder;
import dev.damask.cli.command.Streams;
import dev.damask.cli.sessions.SessionReport;
import dev.damask.document.LoadedDocument;
import dev.damask.document.WorkflowDocument;
import dev.damask.http.EgressGuard;
import dev.damask.json.JsonWriter;
import dev.damask.scenario.ScenarioEvent;
import dev.damask.scenario.ScenarioReader;
import dev.damask.scenario.ScenarioStep;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionOptions;
import dev.damask.session.SessionStart;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Runs one case of a workflow document or one session of a graph, in memory or on a store.
@Command(
    name = "run",
    description = {
      "Runs one case of a workflow document and prints its status and final context.",
      "With --entry, it runs one session of a graph document.",
      "With --store, the case is durable, and unfinished cases of the store resume;",
      "without DOC, no new case is started."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:completed",
      "1:a session completes or waits, but a wake-up it sent woke no process",
      "2:invalid document or option",
      "3:failed",
      "4:cancelled",
      "5:waiting for external events or for a distant timer, deadlocked, or quarantined"
    })
public final class RunCommand implements Callable<Integer> {
  private final Streams streams;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "DOC",
      arity = "0..1",
      description = "The document. Optional with --store.")
  private @Nullable Path document;

  @Option(
      names = "--store",
      paramLabel = "DIR",
      description = "Stores the case in this directory, which is created if it does not exist.")
  private @Nullable Path store;

  @Option(
      names = "--id",
      paramLabel = "ID",
      description = {
        "The id of the case on the store: one that is there goes on. Without it, the open case",
        "of the workflow goes on, or a new one gets the next number."
      })
  private @Nullable String id;

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      description = {
        "On a store, or of a graph: how far ahead a timer may lie for the command to wait for",
        "it; PT1M by default. The case itself waits in the store. A session is not waited for",
        "by default, because many begin again and again."
      })
  private @Nullable Duration wait;

  @Option(
      names = "--context",
      paramLabel = "JSON or @FILE",
      description = "The context the case starts with; overrides keys of the document's context.")
  private String context = "{}";

  @Option(
      names = "--events",
      paramLabel = "FILE",
      description = {
        "A list of events, played in order whenever the case waits:",
        "done, fail, signal, cancel, complete, cancelTask, add, close, and advance.",
        "An event for a task that does not run yet is kept until it does; the events behind it",
        "go first, unless an effect is under way. With events and without a store time is",
        "virtual: advance moves it, and nothing waits for a timer. On a store advance is refused."
      })
  private @Nullable Path events;

  @Option(
      names = "--scheduler",
      paramLabel = "SCHEDULER",
      description = {
        "How nondeterministic choices are made: deterministic (default),",
        "random:SEED, or replay:FILE, which repeats the choices of a recording."
      })
  private String scheduler = "deterministic";

  @Option(
      names = "--trace",
      paramLabel = "LEVEL",
      completionCandidates = Levels.class,
      description = {
        "How much of the run is traced: ${COMPLETION-CANDIDATES}. With this option and without",
        "--trace-out the trace is printed to standard error. A case keeps the level it was",
        "started with. Default: min; with --trace-out full."
      })
  private @Nullable String trace;

  @Option(
      names = "--trace-out",
      paramLabel = "FILE",
      description = "Writes a recording for 'damask replay'.")
  private @Nullable Path traceOut;

  @Option(names = "--json", description = "Prints the result as one JSON object.")
  private boolean json;

  @Option(
      names = "--allow",
      paramLabel = "HOST",
      split = ",",
      description = {
        "Hosts that http effects may call, as HOST or HOST:PORT; none by default. An address",
        "that is not public must be named itself; localhost stands for this machine."
      })
  private List<String> allow = List.of();

  @Option(
      names = "--bundle",
      paramLabel = "ID",
      description = "Selects one bundle of a file with several.")
  private @Nullable String bundle;

  @Option(
      names = "--entry",
      paramLabel = "STEP",
      description = "Runs a session of a graph document from this step.")
  private @Nullable String entry;

  @Option(
      names = "--rules",
      paramLabel = "DIR",
      description = "The rules of a graph document, one KEY.json each.")
  private @Nullable Path rules;

  @Option(
      names = "--owner",
      paramLabel = "NAME",
      description = "The owner of the session; by default the name of the user.")
  private @Nullable String owner;

  @Option(
      names = "--secret",
      paramLabel = "NAME[=SOURCE]",
      description = {
        "Names a secret that the document may use: TOKEN reads the environment variable TOKEN,",
        "TOKEN=env:VARIABLE another one, TOKEN=file:PATH a file. Secrets of a session begin with",
        "__secret. They are never stored: sessions that are resumed with --store wait until theirs",
        "are named again."
      })
  private List<String> secrets = List.of();

  @Option(
      names = "--window",
      paramLabel = "N",
      description = "How many processes of the session are evaluated at once; no limit by default.")
  private int window;

  /// What `--trace` takes.
  static final class Levels implements Iterable<String> {
    static final List<String> ALL = List.of("none", "min", "full");

    @Override
    public java.util.Iterator<String> iterator() {
      return ALL.iterator();
    }
  }

  public RunCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws InterruptedException {
    BuiltInHandlers.options(allow);
    if (entry != null) {
      if (document == null) {
        throw StoreCommand.misused(spec, "missing DOC");
      }
      return graph(document, entry);
    }
    refuse("goes with --entry and a graph document", "--rules", "--owner", "--window");
    if (store == null && document == null) {
      throw StoreCommand.misused(spec, "missing DOC");
    }
    if (store == null && id != null) {
      throw new Refusal("--id goes with --store");
    }
    return cases(store == null ? null : new StoreFolder(store));
  }

  /// Refuses options that would do nothing here.
  private void refuse(String why, String... options) {
    if (spec == null) {
      return;
    }
    for (String option : options) {
      if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
        throw new Refusal(option + " " + why);
      }
    }
  }

  private int graph(Path file, String first) {
    refuse("goes with a workflow document: a session has the next number of its owner", "--id");
    refuse(
        "goes with a workflow document: 'damask wake' wakes a session on a store, and 'damask test'"
            + " plays a plan for a graph",
        "--events");
    refuse("goes with a workflow document: a session takes its processes in order", "--scheduler");
    if (GraphFiles.isOther(file)) {
      throw new Refusal(file + " is no graph document, and --entry goes with one");
    }
    Context payload = CaseInputs.data("--context", context);
    Map<String, @Nullable Object> start = new TreeMap<>(payload.toMap());
    start.putAll(SecretArguments.read(secrets).ofSession());
    if (traceOut != null && start.keySet().stream().anyMatch(SessionStart::isSecret)) {
      throw new Refusal("--trace-out does not go with them: a recording holds no secrets");
    }
    String whose = owner == null ? System.getProperty("user.name", "user") : owner;
    Duration patience = wait == null ? Duration.ZERO : requirePositive(wait);
    return new GraphRun(
            streams,
            new GraphRun.Start(file, rules, bundle, first, start, whose),
            new GraphRun.Manner(
                store, sessionOptions(), patience, level(), trace != null, traceOut, json))
        .run();
  }

  /// @param folder null for a case in memory
  private int cases(@Nullable StoreFolder folder) throws InterruptedException {
    if (folder != null && SchedulerOption.isReplay(scheduler)) {
      throw new Refusal("a recording is replayed in memory, without --store");
    }
    SchedulerOption chosen = SchedulerOption.parse(scheduler);
    if (traceOut != null && document == null && id == null) {
      throw new Refusal("a recording is written of one case: give DOC or --id");
    }
    Duration patience = wait == null ? Duration.ofMinutes(1) : requirePositive(wait);
    LoadedDocument loaded = document == null ? null : load(document);
    List<ScenarioStep> steps = steps();
    if (folder != null) {
      refuseAdvance(steps);
    }
    SecretArguments known = SecretArguments.read(secrets);
    CaseRun.RunRequest wish =
        new CaseRun.RunRequest(
            folder, allow, known, level(), chosen, traceOut != null, patience, steps);
    if (document == null || loaded == null) {
      refuse("goes with a document: what is on the store has its own", "--context", "--scheduler");
      return goOn(wish);
    }
    Context start = startContext(document, loaded.document());
    Coverage coverage = new Coverage(document.toString(), loaded, steps, allow);
    coverage.requireEffects();
    coverage.requireUnavoidable(folder != null);
    coverage.requireSecrets(known);
    try (CaseRun run = new CaseRun(wish, streams, loaded)) {
      String caseId = run.start(loaded, id, start);
      CaseReport report =
          run.follow(
              caseId, folder == null ? view -> coverage.requireReached(view.tasks()) : _ -> {});
      return told(run, caseId, report);
    }
  }

  private int told(CaseRun run, String caseId, CaseReport report) {
    if (traceOut != null) {
      run.record(caseId, traceOut, document);
    } else if (trace != null) {
      run.traced(caseId).forEach(streams.err()::println);
    }
    print(report);
    return report.exit();
  }

  /// On a store timers run in real time, so that a case which is resumed has its own times.
  private void refuseAdvance(List<ScenarioStep> steps) {
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i).event() instanceof ScenarioEvent.Advance advance) {
        throw new Refusal(
            "%s: event %d, %s: on a store time is real and cannot be moved; remove the event, or"
                    .formatted(events, i + 1, EventPlayer.name(advance))
                + " run without --store");
      }
    }
  }

  private static Duration requirePositive(Duration wait) {
    if (wait.isNegative()) {
      throw new Refusal("--wait is not negative, found " + wait);
    }
    return wait;
  }

  /// Goes on with one case of a store, or with everything that has not ended there.
  private int goOn(CaseRun.RunRequest wish) throws InterruptedException {
    List<CaseReport> cases = new ArrayList<>();
    Set<String> open;
    try (CaseRun run = new CaseRun(wish, streams, null)) {
      if (id != null) {
        return told(run, id, run.follow(id, _ -> {}));
      }
      open = new LinkedHashSet<>(run.openCases());
      for (String each : open) {
        if (!SessionKey.isSession(each)) {
          cases.add(run.follow(each, _ -> {}));
        }
      }
    }
    List<SessionReport> sessions = new ArrayList<>();
    if (open.stream().anyMatch(SessionKey::isSession)) {
      Duration patience = wait == null ? Duration.ZERO : wait;
      GraphRun.goOn(Objects.requireNonNull(wish.folder()).path(), open, sessionOptions(), patience)
          .forEach(view -> sessions.add(new SessionReport(view)));
    }
    if (json) {
      Map<String, @Nullable Object> all = CaseRun.json(cases);
      all.put("sessions", sessions.stream().map(SessionReport::object).toList());
      streams.out().println(JsonWriter.line(all));
    } else {
      cases.forEach(each -> streams.out().print(each.text()));
      sessions.forEach(each -> streams.out().print(each.text()));
    }
    return IntStream.concat(
            cases.stream().mapToInt(CaseReport::exit),
            sessions.stream().mapToInt(each -> GraphRun.exit(each.view())))
        .max()
        .orElse(Exit.OK);
  }

  private SessionOptions sessionOptions() {
    Map<String, String> known = new TreeMap<>(SecretArguments.read(secrets).values());
    known.keySet().removeIf(name -> !SessionStart.isSecret(name));
    return SessionOptions.defaults()
        .withEgress(EgressGuard.publicAnd(allow))
        .withWindow(window)
        .withSecrets(_ -> known);
  }

  private void print(CaseReport report) {
    streams
        .out()
        .print(json ? JsonWriter.line(report.json()) + System.lineSeparator() : report.text());
  }

  private List<ScenarioStep> steps() {
    return events == null ? List.of() : new ScenarioReader().readEvents(events);
  }

  private static LoadedDocument load(Path file) {
    return Documents.load(file)
        .orElseThrow(
            () -> new Refusal(file + " is a graph document: name its first step by --entry"));
  }

  private Context startContext(Path document, WorkflowDocument read) {
    Context given = CaseInputs.data("--context", context);
    List<String> problems = read.input().problems(read.workflow().context().withAll(given));
    if (!problems.isEmpty()) {
      int more = problems.size() - 1;
      String rest =
          more == 0 ? "" : " (and " + more + (more == 1 ? " more problem)" : " more problems)");
      throw new Refusal(
          document
              + ": the context does not fit 'input': "
              + problems.getFirst()
              + rest
              + "; give it by --context");
    }
    return given;
  }

  private boolean isInMemory() {
    return store == null && entry == null;
  }

  private TraceLevel level() {
    if (trace == null) {
      // Nothing is kept of a run in memory, so it is traced only on request.
      return traceOut != null ? TraceLevel.FULL : isInMemory() ? TraceLevel.NONE : TraceLevel.MIN;
    }
    return switch (trace) {
      case "none" -> TraceLevel.NONE;
      case "min" -> TraceLevel.MIN;
      case "full" -> TraceLevel.FULL;
      default -> throw new Refusal("--trace is none, min or full, found '" + trace + "'");
    };
  }
}

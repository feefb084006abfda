package dev.damask.cli;

import dev.damask.document.ScenarioReader;
import dev.damask.document.ScenarioStep;
import dev.damask.document.WorkflowDocument;
import dev.damask.effect.EgressGuard;
import dev.damask.exec.Scheduler;
import dev.damask.orchestration.SessionKey;
import dev.damask.orchestration.SessionOptions;
import dev.damask.orchestration.SessionStart;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.schedule.Replaying;
import dev.damask.schedule.Seeded;
import dev.damask.task.Context;
import dev.damask.testkit.Executions;
import dev.damask.trace.Recorder;
import dev.damask.trace.Recording;
import dev.damask.trace.TraceLevel;
import dev.damask.trace.TracePrinter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
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
      "Runs one case of a workflow document and prints its status and final context,",
      "or with --entry one session of a graph document.",
      "With --store the case is durable, and everything that was left unfinished in the store",
      "goes on; without DOC nothing new is started."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:completed",
      "2:invalid document or option",
      "3:failed",
      "4:cancelled",
      "5:waiting for events from outside or for a distant timer, deadlocked, or quarantined"
    })
final class RunCommand implements Callable<Integer> {
  private final Streams streams;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "DOC",
      arity = "0..1",
      description = "The document. It may be left out with --store.")
  private @Nullable Path document;

  @Option(
      names = "--store",
      paramLabel = "DIR",
      description = "Keeps the case in a store in this folder, which is made if need be.")
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
      description = "The context the case starts with; laid over that of the document.")
  private String context = "{}";

  @Option(
      names = "--events",
      paramLabel = "FILE",
      description = {
        "A list of events, played in order whenever the case waits:",
        "done, fail, signal, cancel, complete, cancelTask, add, close, and advance,",
        "which lets that much time pass. An event for a task that does not run yet",
        "is kept until it does; the events behind it go first, unless an effect is under way."
      })
  private @Nullable Path events;

  @Option(
      names = "--scheduler",
      paramLabel = "SCHEDULER",
      description = {
        "Who decides where the rules leave a choice: deterministic (default),",
        "random:SEED, or replay:FILE, which repeats the choices of a recording."
      })
  private String scheduler = "deterministic";

  @Option(
      names = "--trace",
      paramLabel = "LEVEL",
      completionCandidates = Levels.class,
      description = {
        "How much of the run is traced: ${COMPLETION-CANDIDATES}. Without --trace-out the",
        "trace goes to standard error. Default: none; with --trace-out full."
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
      paramLabel = "NAME=SOURCE",
      description = {
        "A secret of the session, such as __secret1=env:TOKEN or __secret1=file:PATH. It is read",
        "from there and never kept in the store: sessions that go on by --store wait for theirs",
        "until they are given again."
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

  RunCommand(Streams streams) {
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
    if (store == null || document != null) {
      refuse("goes with --entry and a graph document, or with --store alone", "--secret");
    }
    if (document != null && GraphFiles.isGraph(document)) {
      throw new Refusal(document + " is a graph document: name its first step by --entry");
    }
    if (store != null) {
      return onStore(new StoreFolder(store));
    }
    if (document == null) {
      throw StoreCommand.misused(spec, "missing DOC");
    }
    if (id != null) {
      throw new Refusal("--id goes with --store");
    }
    return inMemory(document);
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
    start.putAll(Secrets.read(secrets));
    if (traceOut != null && start.keySet().stream().anyMatch(SessionStart::isSecret)) {
      throw new Refusal("--trace-out does not go with them: a recording holds no secrets");
    }
    String whose = owner == null ? System.getProperty("user.name", "user") : owner;
    Duration patience = wait == null ? Duration.ZERO : requirePositive(wait);
    return new GraphRun(
            streams,
            new GraphRun.Start(file, rules, first, start, whose),
            new GraphRun.Manner(store, sessionOptions(), patience, level(), traceOut, json))
        .run();
  }

  private int onStore(StoreFolder folder) throws InterruptedException {
    if (scheduler.startsWith("replay:")) {
      throw new Refusal("a recording is replayed in memory, without --store");
    }
    if (traceOut != null && (document == null || seed().isPresent())) {
      throw new Refusal(
          "on a store a recording is written of one DOC with the deterministic scheduler");
    }
    if (!scheduler.equals("deterministic") && seed().isEmpty()) {
      throw unknownScheduler();
    }
    Duration patience = wait == null ? Duration.ofMinutes(1) : requirePositive(wait);
    WorkflowDocument read = document == null ? null : Documents.read(document);
    Context start = Context.empty();
    if (read != null && document != null) {
      Program program = Documents.compile(document.toString(), read);
      start = startContext(document, read);
      Coverage.requireHosts(document.toString(), program, steps(), allow);
    }
    boolean isRecorded = traceOut != null;
    StoreRun.Wish wish =
        new StoreRun.Wish(folder, allow, level(), seed(), isRecorded, patience, steps());
    if (document == null || read == null) {
      refuse("goes with a document: what is on the store has its own", "--context", "--scheduler");
      return goOn(wish);
    }
    try (StoreRun run = new StoreRun(wish, streams, read)) {
      String caseId = run.start(read, document, id, start);
      CaseReport report = run.follow(caseId);
      if (traceOut != null) {
        RecordingFile.write(traceOut, document, run.recording(caseId));
      } else {
        run.traced(caseId).forEach(streams.err()::println);
      }
      print(report);
      return report.exit();
    }
  }

  private static Duration requirePositive(Duration wait) {
    if (wait.isNegative()) {
      throw new Refusal("--wait is not negative, found " + wait);
    }
    return wait;
  }

  /// Goes on with one case of a store, or with everything that has not ended there.
  private int goOn(StoreRun.Wish wish) throws InterruptedException {
    List<CaseReport> cases = new ArrayList<>();
    Set<String> open;
    try (StoreRun run = new StoreRun(wish, streams, null)) {
      if (id != null) {
        CaseReport report = run.follow(id);
        print(report);
        return report.exit();
      }
      open = new LinkedHashSet<>(run.openCases());
      for (String each : open) {
        if (!SessionKey.isSession(each)) {
          cases.add(run.follow(each));
        }
      }
    }
    List<SessionReport> sessions = new ArrayList<>();
    if (open.stream().anyMatch(SessionKey::isSession)) {
      Duration patience = wait == null ? Duration.ZERO : wait;
      GraphRun.goOn(wish.folder().path(), open, sessionOptions(), patience)
          .forEach(view -> sessions.add(new SessionReport(view)));
    }
    if (json) {
      Map<String, @Nullable Object> all = StoreRun.json(cases);
      all.put("sessions", sessions.stream().map(SessionReport::object).toList());
      streams.out().println(Json.text(all));
    } else {
      cases.forEach(each -> streams.out().print(each.text()));
      sessions.forEach(each -> streams.out().print(each.text()));
    }
    return IntStream.concat(
            cases.stream().mapToInt(CaseReport::exit),
            sessions.stream().mapToInt(each -> GraphRun.exit(each.view().status())))
        .max()
        .orElse(Exit.OK);
  }

  private SessionOptions sessionOptions() {
    Map<String, String> known = Secrets.read(secrets);
    return SessionOptions.defaults()
        .withEgress(EgressGuard.publicAnd(allow))
        .withWindow(window)
        .withSecrets(_ -> known);
  }

  private void print(CaseReport report) {
    streams.out().print(json ? Json.text(report.json()) + System.lineSeparator() : report.text());
  }

  private List<ScenarioStep> steps() {
    return events == null ? List.of() : new ScenarioReader().readEvents(events);
  }

  private int inMemory(Path document) {
    WorkflowDocument read = Documents.read(document);
    Program program = Documents.compile(document.toString(), read);
    Context start = startContext(document, read);
    List<ScenarioStep> steps = steps();
    Coverage.require(document.toString(), program, steps, allow);

    Executions executions = new Executions(false);
    Recorder.Style style = new Recorder.Style(scheduler(), level(), executions);
    Progress progress = new Progress(streams, program.name());
    BuiltIns builtIns = new BuiltIns(progress, allow);
    CaseDriver driver;
    try (builtIns) {
      Recorder recorder = new Recorder(program, style, start, System.currentTimeMillis());
      driver = new CaseDriver(recorder, executions, steps, builtIns, progress);
      driver.run(read.runLimits().caseTime());
    } catch (Replaying.Diverged e) {
      throw new Refusal("--scheduler " + scheduler + ": " + e.getMessage());
    }
    Recording recording = driver.recorder().recording();
    if (traceOut != null) {
      RecordingFile.write(traceOut, document, recording);
    } else {
      streams.err().print(TracePrinter.print(program, recording.events()));
      streams.err().flush();
    }
    CaseReport report = CaseReport.of(read, driver);
    print(report);
    return report.exit();
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

  private Scheduler scheduler() {
    if (scheduler.equals("deterministic")) {
      return InOrder.INSTANCE;
    }
    if (seed().isPresent()) {
      return new Seeded(seed().getAsLong());
    }
    if (scheduler.startsWith("replay:")) {
      Path file = Path.of(scheduler.substring("replay:".length()));
      Recording recording = RecordingFile.read(file).recording();
      return recording.inOrder() ? InOrder.INSTANCE : new Replaying(recording.choices());
    }
    throw unknownScheduler();
  }

  private Refusal unknownScheduler() {
    return new Refusal(
        "--scheduler is deterministic, random:SEED or replay:FILE, found '" + scheduler + "'");
  }

  /// The seed of a scheduler that decides by chance; empty for another one.
  private OptionalLong seed() {
    if (!scheduler.startsWith("random:")) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(scheduler.substring("random:".length())));
    } catch (NumberFormatException e) {
      throw new Refusal("--scheduler " + scheduler + ": a seed is a whole number, as in random:42");
    }
  }

  private TraceLevel level() {
    if (trace == null) {
      return traceOut == null ? TraceLevel.NONE : TraceLevel.FULL;
    }
    return switch (trace) {
      case "none" -> TraceLevel.NONE;
      case "min" -> TraceLevel.MIN;
      case "full" -> TraceLevel.FULL;
      default -> throw new Refusal("--trace is none, min or full, found '" + trace + "'");
    };
  }
}

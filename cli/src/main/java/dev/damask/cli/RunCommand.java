package dev.damask.cli;

import dev.damask.document.ContextReader;
import dev.damask.document.ScenarioReader;
import dev.damask.document.ScenarioStep;
import dev.damask.document.WorkflowDocument;
import dev.damask.exec.Scheduler;
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
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Runs one case of a workflow document in memory.
@Command(
    name = "run",
    description = "Runs one case of a workflow document and prints its status and final context.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:completed",
      "2:invalid document or option",
      "3:failed",
      "4:cancelled",
      "5:waiting for events from outside, or deadlocked"
    })
final class RunCommand implements Callable<Integer> {
  private final Streams streams;

  @Parameters(paramLabel = "DOC", description = "The workflow document.")
  private Path document = Path.of("");

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
      description = "Hosts that http effects may call (http comes with the engine).")
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
      names = "--store",
      paramLabel = "DIR",
      description = "Keeps the session of a graph document in this folder; else in memory.")
  private @Nullable Path store;

  @Option(
      names = "--owner",
      paramLabel = "NAME",
      description = "The owner of the session; by default the name of the user.")
  private String owner = System.getProperty("user.name", "user");

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
  public Integer call() {
    if (entry != null) {
      ContextReader reader = new ContextReader();
      Context payload =
          context.startsWith("@")
              ? reader.read(Path.of(context.substring(1)))
              : reader.read("--context", context);
      return new GraphRun(streams, document, rules, entry, payload.toMap(), store, owner, allow)
          .run(json);
    }
    WorkflowDocument read = Documents.read(document);
    Program program = Documents.compile(document.toString(), read);
    Context start = startContext(read);
    List<ScenarioStep> steps = events == null ? List.of() : new ScenarioReader().readEvents(events);
    Coverage.require(document.toString(), program, steps);
    allow.forEach(RunCommand::requireHost);

    Executions executions = new Executions(false);
    Recorder.Style style = new Recorder.Style(scheduler(), level(), executions);
    CaseDriver driver;
    try {
      Recorder recorder = new Recorder(program, style, start, System.currentTimeMillis());
      driver = new CaseDriver(recorder, executions, steps, new Progress(streams, program.name()));
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
    CaseReport report = new CaseReport(read, driver);
    streams.out().print(json ? report.json() + System.lineSeparator() : report.text());
    return report.exit();
  }

  private Context startContext(WorkflowDocument read) {
    ContextReader reader = new ContextReader();
    Context given =
        context.startsWith("@")
            ? reader.read(Path.of(context.substring(1)))
            : reader.read("--context", context);
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
    if (scheduler.startsWith("random:")) {
      try {
        return new Seeded(Long.parseLong(scheduler.substring("random:".length())));
      } catch (NumberFormatException e) {
        throw new Refusal(
            "--scheduler " + scheduler + ": a seed is a whole number, as in random:42");
      }
    }
    if (scheduler.startsWith("replay:")) {
      Path file = Path.of(scheduler.substring("replay:".length()));
      Recording recording = RecordingFile.read(file).recording();
      return recording.inOrder() ? InOrder.INSTANCE : new Replaying(recording.choices());
    }
    throw new Refusal(
        "--scheduler is deterministic, random:SEED or replay:FILE, found '" + scheduler + "'");
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

  private static void requireHost(String host) {
    if (host.isBlank() || host.contains("/")) {
      throw new Refusal(
          "--allow takes the name of a host such as api.example, found '" + host + "'");
    }
  }
}

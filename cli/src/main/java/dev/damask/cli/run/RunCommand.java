package dev.damask.cli.run;

import dev.damask.cases.EngineOptions;
import dev.damask.cli.cases.CaseInputs;
import dev.damask.cli.cases.CaseReport;
import dev.damask.cli.command.CaseHost;
import dev.damask.cli.command.Documents;
import dev.damask.cli.command.GraphFiles;
import dev.damask.cli.command.HistoryArguments;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.SecretArguments;
import dev.damask.cli.command.ServerArguments;
import dev.damask.cli.command.ServerClient;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.StoreFolder;
import dev.damask.cli.command.Streams;
import dev.damask.document.LoadedDocument;
import dev.damask.document.WorkflowDocument;
import dev.damask.effect.Traceparent;
import dev.damask.http.EgressGuard;
import dev.damask.scenario.ScenarioReader;
import dev.damask.scenario.ScenarioStep;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionOptions;
import dev.damask.session.SessionStart;
import dev.damask.session.SessionView;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Runs one case of a workflow document or one session of a graph, in memory or in a store.
@Command(
    name = "run",
    description = {
      "Runs one case of a workflow document and prints its status and final context.",
      "With --entry, it runs one session of a graph document.",
      "With --store, the case is durable, and unfinished cases of the store resume;",
      "without DOC, no new case is started.",
      "With --server, the case runs at a server, with the effects of the server."
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
      description = "The document. Optional with --store or --server.")
  private @Nullable Path document;

  @Option(
      names = "--traceparent",
      paramLabel = "TEXT",
      description = "The W3C tracing context of a new case. Its effects continue it.")
  private @Nullable String traceparent;

  @Option(
      names = "--store",
      paramLabel = "DIR or URL",
      description =
          "Stores the case in this directory, which is created if it does not exist, or in the"
              + " cluster of a URL such as postgresql://user:password@host/database. The command"
              + " joins a cluster as a node if no other one is alive; otherwise it hands the case"
              + " to the node that owns it.")
  private @Nullable Path store;

  @Mixin private ServerArguments server = new ServerArguments();

  @Option(
      names = "--id",
      paramLabel = "ID",
      description =
          "Resumes the case with this id, or starts it if it does not exist. Default: the "
              + "workflow's open case, or a new case with the next number.")
  private @Nullable String id;

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      description =
          "The longest time that the command waits for a timer, with --store or --server or for a"
              + " graph. Cases with later timers wait in the store. Default: PT1M; for sessions"
              + " zero, because many sessions repeat forever.")
  private @Nullable Duration wait;

  @Option(
      names = "--context",
      paramLabel = "JSON or @FILE",
      description = "The initial context; overrides keys of the document's context.")
  private String context = "{}";

  @Option(
      names = "--events",
      paramLabel = "FILE",
      description =
          "Sends the events in this file, in order, whenever the case waits: done, fail, signal,"
              + " cancel, complete, cancelTask, add, close and advance. An event for a task that"
              + " does not run yet is postponed; later events are sent before it unless an effect"
              + " is in progress. With events and without --store or --server, time is virtual:"
              + " advance moves the clock, and the command does not wait for timers. With --store"
              + " or --server, advance is rejected.")
  private @Nullable Path events;

  @Option(
      names = "--scheduler",
      paramLabel = "SCHEDULER",
      description =
          "Selects how nondeterministic choices are made: deterministic, random:SEED, or "
              + "replay:FILE, which repeats the choices of a recording. Default: deterministic.")
  private String scheduler = "deterministic";

  @Option(
      names = "--trace",
      paramLabel = "LEVEL",
      completionCandidates = Levels.class,
      description =
          "Selects the trace level: ${COMPLETION-CANDIDATES}. Without --trace-out, the trace is "
              + "printed to standard error. A resumed case keeps the level it was started with. "
              + "Default: min; with --trace-out full.")
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
      description =
          "Allows http effects to call a host, as HOST or HOST:PORT. Default: none. A private "
              + "address must be listed explicitly; localhost is this machine.")
  private List<String> allow = List.of();

  @Option(
      names = "--child",
      paramLabel = "DOC",
      description =
          "Registers the document of a workflow that the case starts as a child case. With --store"
              + " or --server, a document that is stored there need not be named.")
  private List<Path> children = List.of();

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
      description = "The owner of the session. Default: the name of the user.")
  private @Nullable String owner;

  @Option(
      names = "--secret",
      paramLabel = "NAME[=SOURCE]",
      description =
          "Provides a secret to the document: TOKEN reads the environment variable TOKEN,"
              + " TOKEN=env:VARIABLE another variable, TOKEN=file:PATH a file. Names of session"
              + " secrets begin with __secret. Secrets are never stored: a session that is resumed"
              + " with --store waits until its secrets are provided again.")
  private List<String> secrets = List.of();

  @Option(
      names = "--window",
      paramLabel = "N",
      description = "The maximum number of concurrent processes of the session. Default: no limit.")
  private int window;

  @Mixin private HistoryArguments history = new HistoryArguments();

  /// The values of `--trace`.
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
    ServerClient client = server.client(store != null);
    if (client != null) {
      return served(client);
    }
    history.require(store != null);
    if (entry != null) {
      if (document == null) {
        throw StoreCommand.misused(spec, "missing DOC");
      }
      return graph(document, entry);
    }
    refuse("requires --entry and a graph document", "--rules", "--owner", "--window");
    if (store == null && document == null) {
      throw StoreCommand.misused(spec, "missing DOC");
    }
    if (store == null && id != null) {
      throw new Refusal("--id requires --store or --server");
    }
    return cases(store == null ? null : new StoreFolder(store));
  }

  /// Throws [Refusal] for options that have no effect here.
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
    refuse("requires a workflow document; a session gets the next number of its owner", "--id");
    refuse(
        "requires a workflow document; use 'damask wake' for a session in a store, or 'damask test'"
            + " for a plan of a graph",
        "--events");
    refuse("requires a workflow document; a session runs its processes in order", "--scheduler");
    refuse("requires a workflow document; a session has no child cases", "--child");
    if (GraphFiles.isOther(file)) {
      throw new Refusal(file + ": not a graph document; --entry requires one");
    }
    Context payload = CaseInputs.data("--context", context);
    Map<String, @Nullable Object> start = new TreeMap<>(payload.toMap());
    start.putAll(SecretArguments.read(secrets).ofSession());
    if (traceOut != null && start.keySet().stream().anyMatch(SessionStart::isSecret)) {
      throw new Refusal(
          "--trace-out cannot be used with session secrets; a recording does not contain secrets");
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
      throw new Refusal(
          "--scheduler replay cannot be used with --store; a recording is replayed in memory");
    }
    SchedulerOption chosen = SchedulerOption.parse(scheduler);
    if (traceOut != null && document == null && id == null) {
      throw new Refusal("--trace-out records one case; add DOC or --id");
    }
    Duration patience = wait == null ? Duration.ofMinutes(1) : requirePositive(wait);
    LoadedDocument loaded = document == null ? null : load(document);
    List<ScenarioStep> steps = steps();
    if (folder != null) {
      EventPlayer.refuseAdvance(events, steps, false);
    }
    SecretArguments known = SecretArguments.read(secrets);
    CaseRun.RunRequest request =
        new CaseRun.RunRequest(
            folder == null,
            allow,
            known,
            level(),
            chosen,
            traceOut != null,
            patience,
            steps,
            history,
            traceparent == null ? null : requireTraceparent(traceparent));
    if (document == null || loaded == null) {
      refuse(
          "requires DOC; resumed cases keep what they were started with",
          "--context",
          "--scheduler",
          "--traceparent");
      return goOn(Objects.requireNonNull(folder), request);
    }
    Context start = startContext(document, loaded.document());
    List<LoadedDocument> started = children.stream().map(RunCommand::load).toList();
    Coverage coverage =
        new Coverage(document.toString(), loaded, steps, allow).withChildren(started);
    boolean isStore = folder != null && folder.isStore();
    if (!isStore) {
      coverage.require(folder != null, known); // a case that is refused creates no store
    }
    CaseHost.Opened opened = opened(folder, true);
    if (opened.server() != null) {
      return served(opened.server());
    }
    Store open = Objects.requireNonNull(opened.store());
    if (isStore) {
      coverage.requireOrClose(open, known);
    }
    try (CaseRun run = new CaseRun(request, streams, open, loaded)) {
      started.forEach(run::register);
      String caseId = run.start(loaded, id, start);
      CaseReport report =
          run.follow(
              caseId, folder == null ? view -> coverage.requireReached(view.tasks()) : _ -> {});
      return told(run, caseId, report);
    }
  }

  private static CaseHost.Opened opened(@Nullable StoreFolder folder, boolean isMade) {
    return folder == null
        ? new CaseHost.Opened(new MemoryStore(), null)
        : CaseHost.of(folder).openToRun(isMade);
  }

  /// Runs cases at a server, or in the process that holds the store.
  private int served(ServerClient client) throws InterruptedException {
    try (client) {
      String where = client.isHeld() ? "a store that a process holds" : "--server";
      refuse("cannot be used with " + where + "; sessions start where the store is", "--entry");
      refuse(
          "cannot be used with " + where + "; the server has its own",
          ServedRun.REFUSED.toArray(String[]::new));
      refuse("requires --entry and a graph document", "--rules", "--owner", "--window");
      Duration patience = wait == null ? Duration.ofMinutes(1) : requirePositive(wait);
      List<ScenarioStep> steps = steps();
      EventPlayer.refuseAdvance(events, steps, !client.isHeld());
      ServedRun run = new ServedRun(streams, client, patience, steps);
      children.forEach(file -> run.register(load(file)));
      if (document == null) {
        refuse("requires DOC; resumed cases keep what they were started with", "--context");
        return id != null
            ? new RunOutput(streams, json).one(run.follow(id))
            : new RunOutput(streams, json).all(run.followAll(), List.of());
      }
      LoadedDocument loaded = load(document);
      Context start = startContext(document, loaded.document());
      return new RunOutput(streams, json).one(run.follow(run.start(loaded, id, start)));
    }
  }

  private static String requireTraceparent(String text) {
    try {
      return Traceparent.require(text);
    } catch (IllegalArgumentException e) {
      throw new Refusal("--traceparent: " + e.getMessage());
    }
  }

  private int told(CaseRun run, String caseId, CaseReport report) {
    if (traceOut != null) {
      run.record(caseId, traceOut, document);
    } else if (trace != null) {
      run.traced(caseId).forEach(streams.err()::println);
    }
    return new RunOutput(streams, json).one(report);
  }

  private static Duration requirePositive(Duration wait) {
    if (wait.isNegative()) {
      throw new Refusal("--wait must not be negative, got " + wait);
    }
    return wait;
  }

  /// Resumes one case of a store, or all cases that have not ended.
  private int goOn(StoreFolder folder, CaseRun.RunRequest request) throws InterruptedException {
    List<CaseReport> cases = new ArrayList<>();
    Set<String> open;
    CaseHost.Opened opened = opened(folder, false);
    if (opened.server() != null) {
      return served(opened.server());
    }
    try (CaseRun run =
        new CaseRun(request, streams, Objects.requireNonNull(opened.store()), null)) {
      children.forEach(file -> run.register(load(file)));
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
    List<SessionView> sessions = new ArrayList<>();
    if (open.stream().anyMatch(SessionKey::isSession)) {
      Duration patience = wait == null ? Duration.ZERO : wait;
      sessions.addAll(GraphRun.goOn(folder.path(), open, sessionOptions(), patience));
    }
    return new RunOutput(streams, json).all(cases, sessions);
  }

  private SessionOptions sessionOptions() {
    Map<String, String> known = new TreeMap<>(SecretArguments.read(secrets).values());
    known.keySet().removeIf(name -> !SessionStart.isSecret(name));
    return SessionOptions.defaults()
        .withEngine(history.apply(EngineOptions.defaults()))
        .withEgress(EgressGuard.publicAnd(allow))
        .withWindow(window)
        .withSecrets(_ -> known);
  }

  private List<ScenarioStep> steps() {
    return events == null ? List.of() : new ScenarioReader().readEvents(events);
  }

  private static LoadedDocument load(Path file) {
    return Documents.load(file)
        .orElseThrow(
            () -> new Refusal(file + ": a graph document; name its first step with --entry"));
  }

  private Context startContext(Path document, WorkflowDocument read) {
    Context given = CaseInputs.data("--context", context);
    List<String> problems = read.input().problems(read.workflow().context().withAll(given));
    if (!problems.isEmpty()) {
      int more = problems.size() - 1;
      String rest = more == 0 ? "" : " (and " + more + " more)";
      throw new Refusal(
          document
              + ": the context does not fit 'input': "
              + problems.getFirst()
              + rest
              + "; add the values with --context");
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
      default -> throw new Refusal("--trace must be none, min or full, got '" + trace + "'");
    };
  }
}

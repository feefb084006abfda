package dev.damask.cli.run;

import dev.damask.cases.EngineOptions;
import dev.damask.check.Diagnostic;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.GraphFiles;
import dev.damask.cli.command.RecordingFile;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreFolder;
import dev.damask.cli.command.Streams;
import dev.damask.cli.sessions.SessionReport;
import dev.damask.compile.Compiler;
import dev.damask.event.TraceEvent;
import dev.damask.history.CaseObserver;
import dev.damask.history.CaseRecorder;
import dev.damask.program.Program;
import dev.damask.registry.Orchestration;
import dev.damask.session.ProcessInstance;
import dev.damask.session.SentWakeUp;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionOptions;
import dev.damask.session.SessionStart;
import dev.damask.session.SessionView;
import dev.damask.session.Sessions;
import dev.damask.store.CaseStatus;
import dev.damask.trace.Recording;
import dev.damask.trace.TraceLevel;
import dev.damask.trace.TracePrinter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Runs one session of a graph document, in memory or on a store, until it ends or waits for
/// something that takes longer.
record GraphRun(Streams streams, Start start, Manner manner) {
  /// Calls have limits of their own, so this is only reached by loops that never end.
  private static final Duration PATIENCE = Duration.ofDays(1);

  /// What is run.
  ///
  /// @param graph a graph document or a bundle
  /// @param rules the directory of the rules; null for none
  /// @param bundle which one of the file; null when there is one, or one with the entry
  record Start(
      Path graph,
      @Nullable Path rules,
      @Nullable String bundle,
      String entry,
      Map<String, ? extends @Nullable Object> payload,
      String owner) {}

  /// How it is run.
  ///
  /// @param store null for memory
  /// @param patience how far ahead a timer may lie for the run to wait for it
  /// @param trace how much of the run is traced
  /// @param isTold whether the trace is printed unless it is recorded
  /// @param traceOut where it is recorded; null for nowhere
  record Manner(
      @Nullable Path store,
      SessionOptions options,
      Duration patience,
      TraceLevel trace,
      boolean isTold,
      @Nullable Path traceOut,
      boolean json) {}

  int run() {
    Orchestration orchestration =
        GraphFiles.read(start.graph(), start.rules(), start.bundle(), start.entry());
    List<Diagnostic> errors = orchestration.obstacles(start.entry(), start.payload().keySet());
    if (!errors.isEmpty()) {
      throw new Refusal(GraphFiles.described(start.graph(), start.rules(), errors));
    }
    String owner = start.owner();
    CaseRecorder recorder = new CaseRecorder();
    try (Sessions sessions = open(recorder)) {
      orchestration
          .rules()
          .forEach((key, text) -> sessions.registry().ensureRule(owner, key, text));
      String id = sessions.registry().ensureGraph(owner, orchestration.resolved()).key();
      SessionKey key = sessions.start(SessionStart.of(owner, id, start.entry(), start.payload()));
      SessionView view = follow(sessions, key, manner.patience());
      trace(orchestration, recorder, sessions, key);
      SessionReport report = new SessionReport(view);
      streams.out().print(manner.json() ? report.json() + System.lineSeparator() : report.text());
      return exit(view);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new Refusal(String.valueOf(e.getMessage())); // such as a start that is not allowed
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Refusal("interrupted");
    }
  }

  /// Resumes sessions of a store, the oldest first.
  ///
  /// @param open the ids of the cases that had not ended before the store was opened
  static List<SessionView> goOn(
      Path store, Set<String> open, SessionOptions options, Duration patience)
      throws InterruptedException {
    List<SessionView> views = new ArrayList<>();
    try (Sessions sessions = Sessions.open(options, new StoreFolder(store).openToRun(false))) {
      for (SessionKey key : sessions.list(null, Integer.MAX_VALUE).reversed()) {
        if (open.contains(key.caseId())) {
          views.add(follow(sessions, key, patience));
        }
      }
    }
    return views;
  }

  private Sessions open(CaseRecorder recorder) {
    EngineOptions engine =
        manner
            .options()
            .engine()
            .withTrace(manner.trace())
            .withWatch(manner.traceOut() == null ? CaseObserver.NONE : recorder);
    SessionOptions options = manner.options().withEngine(engine);
    if (manner.store() == null) {
      return Sessions.open(options);
    }
    return Sessions.open(options, new StoreFolder(manner.store()).openToRun(true));
  }

  /// Follows a session until it has ended or waits longer than `patience`.
  static SessionView follow(Sessions sessions, SessionKey key, Duration patience)
      throws InterruptedException {
    while (true) {
      SessionView view = sessions.settled(key, PATIENCE).orElseGet(() -> sessions.view(key));
      OptionalLong next =
          view.processes().stream()
              .filter(each -> each.fromGroup() == 0) // the target of an open join has no time
              .map(ProcessInstance::nextWakeAt)
              .flatMapToLong(OptionalLong::stream)
              .min();
      long left = next.orElse(Long.MAX_VALUE) - System.currentTimeMillis();
      boolean waits = next.isPresent() && left <= patience.toMillis();
      if (CaseRun.isAtEnd(view.status()) || !waits) {
        return view;
      }
      sessions.await(key, Duration.ofMillis(Math.max(1, left)));
    }
  }

  private void trace(
      Orchestration orchestration, CaseRecorder recorder, Sessions sessions, SessionKey key) {
    Path file = manner.traceOut();
    if (file == null && !manner.isTold()) {
      return;
    }
    // What the session was pinned to, which has its steps in another order than the file.
    Orchestration resolved = new Orchestration(orchestration.resolved(), orchestration.rules());
    Program program = Compiler.compile(resolved.workflow());
    List<TraceEvent> events = sessions.engine().trace(key.caseId());
    if (file == null) {
      streams.err().print(TracePrinter.print(program, events));
      streams.err().flush();
      return;
    }
    TraceLevel level = manner.trace() == TraceLevel.NONE ? TraceLevel.MIN : manner.trace();
    Recording recording = recorder.recording(key.caseId(), program.hash(), level).orElseThrow();
    String name = String.valueOf(start.graph().getFileName());
    RecordingFile.write(
        file, new RecordingFile.Contents(name, resolved.graph(), resolved.rules(), recording));
  }

  /// Returns the exit code, which also reports a wake-up that woke no process.
  static int exit(SessionView view) {
    int code = exit(view.status());
    boolean isLost = view.wakeUps().stream().anyMatch(SentWakeUp::isLost);
    return isLost && (code == Exit.OK || code == Exit.WAITING) ? Exit.DIFFERENT : code;
  }

  static int exit(CaseStatus status) {
    return switch (status) {
      case COMPLETED -> Exit.OK;
      case FAILED -> Exit.FAILED;
      case CANCELLED -> Exit.CANCELLED;
      case RUNNING, WAITING, DEADLOCKED, QUARANTINED, CORRUPT, PAUSED -> Exit.WAITING;
    };
  }
}

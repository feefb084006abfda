package dev.damask.cli;

import dev.damask.cases.EngineOptions;
import dev.damask.cases.MoveWatch;
import dev.damask.compile.Compiler;
import dev.damask.exec.TraceEvent;
import dev.damask.orchestration.Notice;
import dev.damask.orchestration.Orchestration;
import dev.damask.orchestration.ProcessInstance;
import dev.damask.orchestration.SessionKey;
import dev.damask.orchestration.SessionOptions;
import dev.damask.orchestration.SessionStart;
import dev.damask.orchestration.SessionView;
import dev.damask.orchestration.Sessions;
import dev.damask.program.Program;
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
  /// @param rules the folder of the rules; null for none
  record Start(
      Path graph,
      @Nullable Path rules,
      String entry,
      Map<String, ? extends @Nullable Object> payload,
      String owner) {}

  /// How it is run.
  ///
  /// @param store null for memory
  /// @param patience how far ahead a timer may lie for the run to wait for it
  /// @param trace how much of the run is told
  /// @param traceOut where it is recorded; null for nowhere
  record Manner(
      @Nullable Path store,
      SessionOptions options,
      Duration patience,
      TraceLevel trace,
      @Nullable Path traceOut,
      boolean json) {}

  int run() {
    Orchestration orchestration = GraphFiles.read(start.graph(), start.rules());
    List<Notice> errors =
        orchestration.check(start.entry(), start.payload().keySet()).stream()
            .filter(Notice::isError)
            .toList();
    if (!errors.isEmpty()) {
      String more = errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)";
      throw new Refusal(start.graph() + ":" + errors.getFirst() + more);
    }
    String owner = start.owner();
    CaseRecorder recorder = new CaseRecorder();
    try (Sessions sessions = open(recorder)) {
      orchestration.rules().forEach((key, text) -> sessions.registry().putRule(owner, key, text));
      String id = sessions.registry().putGraph(owner, orchestration.resolved()).key();
      SessionKey key = sessions.start(SessionStart.of(owner, id, start.entry(), start.payload()));
      SessionView view = follow(sessions, key, manner.patience());
      trace(orchestration, recorder, sessions, key);
      SessionReport report = new SessionReport(view);
      streams.out().print(manner.json() ? report.json() + System.lineSeparator() : report.text());
      return exit(view.status());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Refusal("interrupted");
    }
  }

  /// Goes on with sessions of a store, the oldest first.
  ///
  /// @param open the ids of the cases that had not ended: what is due ends as soon as it is opened
  static List<SessionView> goOn(
      Path store, Set<String> open, SessionOptions options, Duration patience)
      throws InterruptedException {
    List<SessionView> views = new ArrayList<>();
    try (Sessions sessions = Sessions.open(options, store)) {
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
            .withWatch(manner.traceOut() == null ? MoveWatch.NOBODY : recorder);
    SessionOptions options = manner.options().withEngine(engine);
    if (manner.store() == null) {
      return Sessions.open(options);
    }
    new StoreFolder(manner.store()).requireRoom();
    return Sessions.open(options, manner.store());
  }

  /// Goes along until the session has ended or stands still for longer than one waits.
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
      if (StoreRun.isAtEnd(view.status()) || !waits) {
        return view;
      }
      sessions.await(key, Duration.ofMillis(Math.max(1, left)));
    }
  }

  private void trace(
      Orchestration orchestration, CaseRecorder recorder, Sessions sessions, SessionKey key) {
    Path file = manner.traceOut();
    if (file == null && manner.trace() == TraceLevel.NONE) {
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
    Recording recording =
        recorder.recording(key.caseId(), program.hash(), level, events).orElseThrow();
    String name = String.valueOf(start.graph().getFileName());
    RecordingFile.write(
        file, new RecordingFile.Contents(name, resolved.graph(), resolved.rules(), recording));
  }

  static int exit(CaseStatus status) {
    return switch (status) {
      case COMPLETED -> Exit.OK;
      case FAILED -> Exit.FAILED;
      case CANCELLED -> Exit.CANCELLED;
      case RUNNING, WAITING, DEADLOCKED, QUARANTINED -> Exit.WAITING;
    };
  }
}

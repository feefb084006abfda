package dev.damask.cli;

import dev.damask.cases.CaseEvent;
import dev.damask.cases.CaseOptions;
import dev.damask.cases.CaseView;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.MoveWatch;
import dev.damask.cases.TraceCodec;
import dev.damask.compile.Compiler;
import dev.damask.document.RunLimits;
import dev.damask.document.ScenarioStep;
import dev.damask.document.WorkflowDocument;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.exec.TraceEvent;
import dev.damask.program.Program;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import dev.damask.task.Context;
import dev.damask.trace.Recording;
import dev.damask.trace.TraceLevel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Runs cases on a store: takes up everything that was left unfinished there, and follows one case
/// or all of them until only the outside could move them on.
final class StoreRun implements AutoCloseable {
  /// How a run was asked for.
  ///
  /// @param seed makes the free choices of a new case by chance
  /// @param isRecorded whether a recording of a new case is wanted
  /// @param patience how far ahead a timer may lie for the run to wait for it
  record Wish(
      StoreFolder folder,
      List<String> allow,
      TraceLevel trace,
      OptionalLong seed,
      boolean isRecorded,
      Duration patience,
      List<ScenarioStep> events) {}

  private static final long PAUSE_MILLIS = 10;

  private final Wish wish;
  private final Streams streams;
  private final Store store;
  private final Engine engine;
  private final Set<String> called;
  private final List<String> open;
  private final CaseRecorder recorder = new CaseRecorder();
  private final Semaphore changes = new Semaphore(0);

  /// @param given a document besides those that the store keeps; null for none
  StoreRun(Wish wish, Streams streams, @Nullable WorkflowDocument given) {
    this.wish = wish;
    this.streams = streams;
    this.store = given == null ? wish.folder().open() : wish.folder().openOrMake();
    boolean isOpen = false;
    try {
      BuiltInHandlers handlers = new BuiltInHandlers(streams, wish.allow());
      this.called = handlers.called();
      EngineOptions options =
          EngineOptions.defaults()
              .withShards(2)
              .withTrace(wish.trace())
              .withListener(this::changed)
              .withWatch(wish.isRecorded() ? recorder : MoveWatch.NOBODY)
              .withSources(KeptDocuments::read)
              .withHandlers(handlers.all());
      this.open = CaseIds.open(store, null); // before anything that is due can end
      this.engine = Engine.open(options, store);
      isOpen = true;
    } finally {
      if (!isOpen) {
        store.close();
      }
    }
  }

  private void changed(CaseEvent event) {
    changes.release();
  }

  /// Starts a case, or goes on with the one of that id.
  ///
  /// @param id null to go on with the case of this workflow that is open, or to make a new one
  String start(WorkflowDocument document, Path file, @Nullable String id, Context context) {
    Program program = Compiler.compile(document.workflow());
    engine.register(document.workflow(), KeptDocuments.source(file));
    String chosen = id == null ? new CaseIds(store, program.name()).choose() : id;
    boolean isNew;
    try {
      isNew = engine.startAsync(document.workflow(), chosen, context, terms(document)).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IllegalArgumentException wrong) {
        throw new Refusal(String.valueOf(wrong.getMessage()));
      }
      throw e;
    } catch (IllegalArgumentException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
    CaseView view = engine.status(chosen);
    if (!isNew) {
      String version =
          view.program().equals(program.hash()) ? "" : ", by the workflow it was started with";
      streams.err().println("damask: case " + chosen + " was there and goes on" + version);
    } else if (id == null) {
      streams.err().println("damask: this is case " + chosen);
    }
    return chosen;
  }

  /// What the document and the command line say about the running of the case.
  private CaseOptions terms(WorkflowDocument document) {
    CaseOptions terms = CaseOptions.DEFAULT;
    RunLimits limits = document.runLimits();
    if (limits.caseTime() != null) {
      terms = terms.withDeadline(limits.caseTime());
    }
    if (limits.quantumSteps() > 0) {
      terms = terms.withQuantum(limits.quantumSteps());
    }
    return wish.seed().isPresent() ? terms.withSeed(wish.seed().getAsLong()) : terms;
  }

  /// Every case that had not ended when the store was opened.
  List<String> openCases() {
    return open;
  }

  /// Follows a case until it has ended or only the outside could move it on.
  CaseReport follow(String caseId) throws InterruptedException {
    WorkflowDocument document = document(StoreCommand.require(store, caseId));
    Progress progress = new Progress(streams, caseId);
    EventPlayer player = new EventPlayer(engine, caseId, wish.events(), progress);
    String told = "";
    while (true) {
      changes.drainPermits();
      CaseView view = engine.status(caseId);
      String standing = InputCommand.standing(view);
      if (!standing.equals(told)) {
        progress.tell(standing);
        told = standing;
      }
      if (isAtEnd(view.status())) {
        break;
      }
      boolean isBusy =
          view.status() == CaseStatus.RUNNING
              || view.tasks().stream().anyMatch(task -> called.contains(task.type()));
      if (player.play(view, isBusy)) {
        continue;
      }
      long pause = pause(view, isBusy, player);
      if (pause < 0) {
        break;
      }
      boolean _ = changes.tryAcquire(pause, TimeUnit.MILLISECONDS);
    }
    player.finish();
    return report(caseId, document);
  }

  /// Whether a case does not move on by itself, whatever time it is.
  static boolean isAtEnd(CaseStatus status) {
    return switch (status) {
      case COMPLETED, FAILED, CANCELLED, DEADLOCKED, QUARANTINED -> true;
      case RUNNING, WAITING -> false;
    };
  }

  /// How long to wait for the next change; negative when there is nothing to wait for.
  private long pause(CaseView view, boolean isBusy, EventPlayer player) {
    long now = System.currentTimeMillis();
    long due = view.nextDue().orElse(Long.MAX_VALUE);
    boolean isNear = due <= now + Math.min(wish.patience().toMillis(), Long.MAX_VALUE - now);
    long until = Math.min(player.waitsUntil(), isNear ? due : Long.MAX_VALUE);
    if (!isBusy && until == Long.MAX_VALUE) {
      return -1;
    }
    return Math.clamp(until - now, PAUSE_MILLIS, TimeUnit.HOURS.toMillis(1));
  }

  private WorkflowDocument document(CaseRecord record) {
    return KeptDocuments.find(store, record.program())
        .orElseThrow(() -> CaseInputs.unknown(record));
  }

  private CaseReport report(String caseId, WorkflowDocument document) {
    CaseRecord record = StoreCommand.require(store, caseId);
    Machine machine = Documents.machine(Compiler.compile(document.workflow()));
    ExecState state = StateCodec.decode(machine, record.state());
    Set<Object> effects = new HashSet<>();
    store.receipts(caseId).forEach(receipt -> effects.add(receipt.body().effect()));
    store.intents(caseId).forEach(intent -> effects.add(intent.id()));
    String evidence = record.status() == CaseStatus.QUARANTINED ? record.evidence() : "";
    return new CaseReport(
        caseId, document, state, machine.outcome(state), effects.size(), evidence);
  }

  /// What is needed to repeat a case that began in this run. A [Refusal] when it had begun before.
  Recording recording(String caseId) {
    CaseRecord record = StoreCommand.require(store, caseId);
    List<TraceEvent> events = TraceCodec.decode(store.trace(caseId));
    return recorder
        .recording(caseId, record.program(), wish.trace(), events)
        .orElseThrow(() ->
            new Refusal(
                "a recording begins with its case: case "
                    + caseId
                    + " was there before, and nothing was recorded"));
  }

  /// What was traced of a case; empty without a trace.
  List<String> traced(String caseId) {
    Optional<WorkflowDocument> document =
        KeptDocuments.find(store, StoreCommand.require(store, caseId).program());
    return document.isEmpty()
        ? List.of()
        : CasePicture.of(
                store, StoreCommand.require(store, caseId), document.get(), Integer.MAX_VALUE)
            .traced();
  }

  /// Several reports as one object.
  static Map<String, @Nullable Object> json(List<CaseReport> reports) {
    Map<String, @Nullable Object> all = new TreeMap<>();
    all.put("cases", reports.stream().map(CaseReport::json).toList());
    return all;
  }

  @Override
  public void close() {
    engine.close();
  }
}

package dev.damask.cli.run;

import dev.damask.api.CaseOutcome;
import dev.damask.api.DocumentTerms;
import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cli.cases.CaseInputs;
import dev.damask.cli.cases.CaseReport;
import dev.damask.cli.cases.InputCommand;
import dev.damask.cli.cases.TraceLines;
import dev.damask.cli.command.Documents;
import dev.damask.cli.command.HistoryArguments;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.KnownWorkflow;
import dev.damask.cli.command.RecordingFile;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.SecretArguments;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.Streams;
import dev.damask.clock.EngineClock;
import dev.damask.clock.VirtualClock;
import dev.damask.cluster.SharedStore;
import dev.damask.document.LoadedDocument;
import dev.damask.document.WorkflowDocument;
import dev.damask.effect.EffectIntent;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.history.CaseObserver;
import dev.damask.history.CaseRecorder;
import dev.damask.json.Position;
import dev.damask.ops.CaseEvent;
import dev.damask.program.Program;
import dev.damask.scenario.ScenarioStep;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.Recording;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Runs cases on an engine: resumes the unfinished cases of its store, and follows one or all of
/// them until they have ended or wait for external events. Without a directory the store is in
/// memory and ends with the run.
final class CaseRun implements AutoCloseable {
  /// The options of a run.
  ///
  /// @param isInMemory whether the store ends with the run
  /// @param scheduler makes the nondeterministic choices of a new case
  /// @param isRecorded whether a recording is wanted
  /// @param patience how far ahead a timer may lie for the run to wait for it
  /// @param history what the store keeps of the past of a case
  /// @param traceparent the tracing context of a new case; null for none
  record RunRequest(
      boolean isInMemory,
      List<String> allow,
      SecretArguments secrets,
      TraceLevel trace,
      SchedulerOption scheduler,
      boolean isRecorded,
      Duration patience,
      List<ScenarioStep> events,
      HistoryArguments history,
      @Nullable String traceparent) {
    /// Whether time is moved by events and to the next timer, and nothing waits for it.
    boolean isVirtual() {
      return isInMemory && !events.isEmpty();
    }
  }

  private static final long PAUSE_MILLIS = 10;

  /// No event reports a change that another node makes.
  private static final long SHARED_MILLIS = 50;

  /// How long the only case of an engine may compute: it holds up no other.
  private static final Duration UNLIMITED = Duration.ofDays(365);

  private final RunRequest request;
  private final Streams streams;
  private final Store store;
  private final KeptDocuments documents;
  private final Engine engine;
  private final Set<String> called;
  private final List<String> open;
  private final EngineClock clock;
  private final @Nullable VirtualClock virtual; // null in real time
  private final CaseRecorder recorder = new CaseRecorder();
  private final Semaphore changes = new Semaphore(0);
  private final Set<String> workflows = new HashSet<>();

  /// @param store the store, which the run closes
  /// @param given a document besides those that the store keeps; null for none
  CaseRun(RunRequest request, Streams streams, Store store, @Nullable LoadedDocument given) {
    this.request = request;
    this.streams = streams;
    this.virtual = request.isVirtual() ? new VirtualClock(System.currentTimeMillis()) : null;
    this.clock = virtual == null ? EngineClock.system() : virtual;
    this.store = store;
    this.documents = new KeptDocuments(store, given);
    boolean isOpen = false;
    try {
      BuiltInHandlers handlers = new BuiltInHandlers(streams, request.allow(), this::label);
      this.called = handlers.called();
      EngineOptions options =
          request
              .history()
              .apply(EngineOptions.defaults())
              .withShards(request.isInMemory() ? 1 : 2)
              .withMoveBudget(request.isInMemory() ? UNLIMITED : Duration.ofMillis(100))
              .withClock(clock)
              .withSchedulers(_ -> request.scheduler().repeating())
              .withTrace(request.trace())
              .withListener(this::changed)
              .withWatch(request.isRecorded() ? recorder : CaseObserver.NONE)
              .withSources(documents)
              .withSecrets(request.secrets()::get)
              .withHandlers(handlers.all());
      this.open = CaseIds.open(store, null); // before anything that is due can end
      this.engine = Engine.open(options, store);
      store.programs().stream()
          .filter(each -> each.source().length() > 0)
          .forEach(each -> workflows.add(each.name()));
      isOpen = true;
    } finally {
      if (!isOpen) {
        store.close();
      }
    }
  }

  /// What messages about a case begin with: its id, or its workflow if there is no other case.
  private String label(String caseId) {
    return request.isInMemory()
        ? store.record(caseId).map(CaseRecord::workflow).orElse(caseId)
        : caseId;
  }

  private void changed(CaseEvent event) {
    changes.release();
  }

  /// Makes the workflow of a document known, so that cases can start it as a child.
  void register(LoadedDocument loaded) {
    engine.register(loaded.workflow(), loaded.program(), loaded.bytes());
    workflows.add(loaded.workflow().name());
    if (!request.isInMemory()) {
      putSchedule(loaded);
    }
  }

  /// Puts the schedule of a document, under the name of its workflow.
  private void putSchedule(LoadedDocument loaded) {
    WorkflowDefinition workflow = loaded.workflow();
    try {
      loaded
          .document()
          .schedule()
          .ifPresent(each ->
              engine.schedules().put(workflow.name(), each.schedule(), workflow, each.input()));
    } catch (IllegalArgumentException e) {
      throw new Refusal("workflow " + workflow.name() + ": " + e.getMessage());
    }
  }

  /// Starts a case, or resumes the one with that id.
  ///
  /// @param id null for the open case of this workflow, or a new case
  String start(LoadedDocument loaded, @Nullable String id, Context context) {
    WorkflowDocument document = loaded.document();
    Program program = loaded.program();
    register(loaded);
    String chosen = id == null ? CaseIds.of(store, program.name()).choose() : id;
    boolean isNew;
    try {
      isNew =
          engine.startAsync(document.workflow(), chosen, context, terms(document)).join().isNew();
    } catch (CompletionException e) {
      request.scheduler().requireSame();
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
          view.program().equals(program.hash())
              ? ""
              : " with the workflow version it was started with";
      streams.err().println("damask: resuming case " + chosen + version);
    } else if (id == null && !request.isInMemory()) {
      streams.err().println("damask: started case " + chosen);
    }
    return chosen;
  }

  /// How the document and the command line configure the case.
  private CaseOptions terms(WorkflowDocument document) {
    CaseOptions terms = DocumentTerms.of(document);
    if (request.traceparent() != null) {
      terms = terms.withTraceparent(request.traceparent());
    }
    OptionalLong seed = request.scheduler().seed();
    return seed.isPresent() ? terms.withSeed(seed.getAsLong()) : terms;
  }

  /// Every case that had not ended when the store was opened.
  List<String> openCases() {
    return open;
  }

  /// Follows a case until it has ended or waits for external events.
  ///
  /// @param reached checks the tasks of a case that rests
  CaseReport follow(String caseId, Consumer<CaseView> reached) throws InterruptedException {
    LoadedDocument document = document(StoreCommand.require(store, caseId));
    CaseProgress progress = new CaseProgress(streams, label(caseId));
    EventPlayer player =
        new EventPlayer(new EngineEvents(engine, caseId), clock, request.events(), progress);
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
        if (view.status() == CaseStatus.DEADLOCKED && player.play(view, false)) {
          continue; // an event may cancel a part of it
        }
        break;
      }
      reached.accept(view);
      ChildProgress children =
          ChildProgress.of(this::find, view, each -> called.contains(each.type()), workflows);
      boolean isBusy =
          view.status() == CaseStatus.RUNNING
              || children.isBusy()
              || view.tasks().stream().anyMatch(task -> called.contains(task.type()));
      if (player.play(view, isBusy || view.tasks().stream().anyMatch(CaseRun::waitsForTime))) {
        continue;
      }
      long until = until(view, player, children.due());
      if (!isBusy && until == Long.MAX_VALUE) {
        break;
      }
      await(until, isBusy);
    }
    request.scheduler().requireSame();
    player.finish();
    return report(caseId, document);
  }

  /// Whether a task ends or begins again by itself, at a time.
  static boolean waitsForTime(PendingTask task) {
    return task.held() == EffectIntent.Held.FOR_TIME
        || (task.notBefore().isPresent() && !task.isIncident());
  }

  /// Whether a case does not move on by itself, whatever time it is.
  static boolean isAtEnd(CaseStatus status) {
    return switch (status) {
      case COMPLETED, FAILED, CANCELLED, DEADLOCKED, QUARANTINED, CORRUPT, PAUSED -> true;
      case RUNNING, WAITING -> false;
    };
  }

  /// The next time at which something happens that this run waits for; never when nothing does.
  private long until(CaseView view, EventPlayer player, long dueOfChildren) {
    long now = clock.millis();
    long due = Math.min(view.nextDue().orElse(Long.MAX_VALUE), dueOfChildren);
    boolean isNear =
        request.isInMemory()
            || due <= now + Math.min(request.patience().toMillis(), Long.MAX_VALUE - now);
    return Math.min(player.waitsUntil(), isNear ? due : Long.MAX_VALUE);
  }

  /// Waits for a change or a time. Virtual time moves at once if no call is in progress; otherwise
  /// it passes as real time does.
  private void await(long until, boolean isBusy) throws InterruptedException {
    long now = clock.millis();
    if (virtual != null && !isBusy && now < until) {
      virtual.moveTo(until);
      return;
    }
    long most = store instanceof SharedStore ? SHARED_MILLIS : TimeUnit.HOURS.toMillis(1);
    long pause = Math.clamp(until - now, PAUSE_MILLIS, most);
    boolean isChanged = changes.tryAcquire(pause, TimeUnit.MILLISECONDS);
    if (virtual != null && !isChanged) {
      virtual.moveTo(Math.min(now + pause, until));
    }
  }

  private Optional<CaseView> find(String caseId) {
    try {
      return Optional.of(engine.status(caseId));
    } catch (IllegalArgumentException e) { // it is not started yet
      return Optional.empty();
    }
  }

  private LoadedDocument document(CaseRecord record) {
    return documents.find(record.program()).orElseThrow(() -> CaseInputs.unknown(record));
  }

  private CaseReport report(String caseId, LoadedDocument loaded) {
    CaseRecord record = StoreCommand.require(store, caseId);
    Machine machine = Documents.machine(loaded.program());
    ExecState state = record.decode(machine);
    Set<Object> effects = new HashSet<>();
    store.receipts(caseId).forEach(receipt -> effects.add(receipt.body().id()));
    store.intents(caseId).forEach(intent -> effects.add(intent.id()));
    String evidence = record.status() == CaseStatus.QUARANTINED ? record.evidence() : "";
    WorkflowDocument document = loaded.document();
    CaseOutcome outcome =
        CaseOutcome.of(
            state,
            machine.outcome(state),
            effects.size(),
            evidence,
            place -> line(document, place));
    CaseReport report = new CaseReport(caseId, outcome, state.context().toMap());
    return record.status() == CaseStatus.PAUSED ? report.stopped() : report;
  }

  private static @Nullable Object line(WorkflowDocument document, String place) {
    Position found = document.positions().get(place);
    return found == null ? null : found.line();
  }

  /// Returns the recording of a case in this run.
  private Recording recording(String caseId) {
    CaseRecord record = StoreCommand.require(store, caseId);
    return recorder
        .recording(caseId, record.program(), request.trace())
        .filter(each -> !each.isResumed() || !each.inputs().isEmpty() || !each.events().isEmpty())
        .orElseThrow(() ->
            new Refusal(
                "case " + caseId + ": nothing was recorded, because the case did not move"));
  }

  /// Writes the recording of a case in this run.
  ///
  /// @param document the file the case was started from; null when the store keeps it
  void record(String caseId, Path file, @Nullable Path document) {
    LoadedDocument loaded = document(StoreCommand.require(store, caseId));
    Path name = document == null ? Path.of(loaded.workflow().name() + ".yaml") : document;
    RecordingFile.write(file, name, loaded.bytes(), recording(caseId));
  }

  /// What was traced of a case; empty without a trace.
  List<String> traced(String caseId) {
    CaseRecord record = StoreCommand.require(store, caseId);
    return documents
        .find(record.program())
        .map(KnownWorkflow::of)
        .map(known -> TraceLines.last(store, record.caseId(), known.program(), Integer.MAX_VALUE))
        .orElse(List.of());
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

package dev.damask.cases;

import dev.damask.caller.CaseCancelledException;
import dev.damask.caller.CaseFailedException;
import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.caller.StartReply;
import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.clock.SharedClock;
import dev.damask.cluster.SharedStore;
import dev.damask.cluster.StoreCluster;
import dev.damask.event.Input;
import dev.damask.intake.Replies;
import dev.damask.intake.Request;
import dev.damask.nursery.NurserySnapshot;
import dev.damask.ops.ScheduledStarts;
import dev.damask.ops.Schedules;
import dev.damask.program.Program;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoreProvider;
import dev.damask.store.TableRow;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The methods of [Engine] that open one and that run a workflow as a function, and its schedules.
abstract sealed class WorkflowCalls extends CaseReads permits TaskInputs {
  /// The case id in the exceptions of a call.
  private static final String CALL = "(call)";

  /// An engine that is closed at once, as commands and tests do, serves no owner.
  private static final long OWNER_DELAY_MILLIS = 200;

  private static final System.Logger LOG = System.getLogger(Engine.class.getName());

  private final Schedules schedules = new Schedules(super.store, new Starts());

  private final Map<Class<?>, Object> parts = new ConcurrentHashMap<>(); // by any caller

  WorkflowCalls(Store store, Programs programs) {
    super(store, programs);
  }

  /// Opens an engine on a store in memory.
  public static Engine open(Workflow<?, ?>... workflows) {
    return open(EngineOptions.defaults(), new MemoryStore(), workflows);
  }

  /// Opens an engine on the store in a directory. Its cases resume as soon as their programs are
  /// registered.
  public static Engine open(Path folder, Workflow<?, ?>... workflows) {
    return open(EngineOptions.defaults(), folder, workflows);
  }

  /// Opens an engine on the store in a directory, which is created if it does not exist.
  public static Engine open(EngineOptions options, Path folder, Workflow<?, ?>... workflows) {
    return open(options, StoreProvider.find().open(folder), workflows);
  }

  /// Opens an engine on a store. The engine closes the store.
  public static Engine open(EngineOptions options, Store store, Workflow<?, ?>... workflows) {
    boolean isOpen = false;
    try {
      EngineOptions own =
          store instanceof SharedStore shared
              ? options.withClock(new SharedClock(shared))
              : options;
      Programs programs = new Programs(store, own);
      Engine engine = new Engine(own, store, programs, Engine::runner, workflows);
      engine.launch();
      serveOwner(engine);
      isOpen = true;
      return engine;
    } finally {
      if (!isOpen) {
        store.close();
      }
    }
  }

  /// Removes the file that a killed process has left behind, and serves the owner of the store's
  /// directory on a thread of the engine. The engine works without it, so a failure is logged.
  private static void serveOwner(Engine engine) {
    Path folder = engine.store.folder().orElse(null);
    if (folder == null) {
      return;
    }
    try {
      Files.deleteIfExists(folder.resolve(OwnerService.FILE));
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "store " + folder + ": cannot remove a stale file", e);
    }
    OwnerService service =
        engine.options.isOwnerServed
            ? ServiceLoader.load(OwnerService.class).findFirst().orElse(null)
            : null;
    if (service != null) {
      engine.nursery.launch("owner", _ -> serveOwner(service, engine, folder));
    }
  }

  private static void serveOwner(OwnerService service, Engine engine, Path folder)
      throws InterruptedException {
    if (engine.closed.await(OWNER_DELAY_MILLIS, TimeUnit.MILLISECONDS)) {
      return;
    }
    try (OwnerService.Running _ = service.serve(engine, folder)) {
      engine.closed.await();
    } catch (IllegalStateException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "store {0}: commands cannot use it while it is open: {1}",
          folder,
          e.getMessage());
    }
  }

  /// Opens an engine as one node of a cluster. Several engines share its cases; each moves those of
  /// the slots that it owns, and every method may be called about a case of any node. Timers follow
  /// the clock of the cluster. When the engine is closed, it leaves the cluster.
  public static Engine open(
      EngineOptions options, StoreCluster cluster, Workflow<?, ?>... workflows) {
    return open(options, cluster.join(), workflows);
  }

  /// Checks a workflow and returns its errors and warnings.
  public static List<Diagnostic> check(Workflow<?, ?> workflow) {
    return TermCheck.check(workflow.definition());
  }

  abstract DirectCalls calls();

  /// Attaches a component that was built on this engine, such as sessions, so that a server of the
  /// engine finds it.
  public <T> void attach(Class<T> type, T part) {
    parts.put(type, part);
  }

  /// Returns the component of a type that was attached.
  public <T> Optional<T> attached(Class<T> type) {
    return Optional.ofNullable(parts.get(type)).map(type::cast);
  }

  /// Returns the schedules of the store.
  public Schedules schedules() {
    return schedules;
  }

  /// Returns what runs inside the engine now: its own threads, its calls and its listeners.
  public List<NurserySnapshot> nurseries() {
    Engine engine = (Engine) (CaseReads) this;
    return List.of(engine.nursery.snapshot(), engine.listeners.snapshot());
  }

  /// Runs an action about once a second if other nodes share the store, to look for what they have
  /// written beside the cases. Does nothing on any other store. The action must return soon.
  public void watchOthers(Runnable action) {
    if (((Engine) (CaseReads) this).ownership instanceof ClusterNode node) {
      node.watchers.add(action);
    }
  }

  /// Whether this engine may move a case.
  boolean owns(String caseId) {
    return ((Engine) (CaseReads) this).ownership.owns(caseId);
  }

  /// The engine as its schedules see it.
  private final class Starts implements ScheduledStarts {
    private Engine engine() {
      return (Engine) (CaseReads) WorkflowCalls.this;
    }

    @Override
    public long now() {
      return engine().options.clock().millis();
    }

    @Override
    public boolean owns(String schedule) {
      return engine().ownership.owns(schedule);
    }

    @Override
    public void register(Workflow<?, ?> workflow) {
      engine().register(workflow);
    }

    @Override
    public void requireInput(String schedule, Workflow<?, ?> workflow, Context input) {
      Program program = programs.compiled(workflow.definition());
      String what = "schedule " + schedule;
      Replies.requireSmall(what, input, program.limits());
      Replies.requireInput(what, program, input);
      Replies.requireAttributes(what, program, input);
    }

    @Override
    public boolean isKnown(String workflow) {
      return programs.named(workflow) != null;
    }

    @Override
    public CompletableFuture<Boolean> start(
        String workflow, String caseId, Context input, List<RowChange> rows) {
      Program program = Objects.requireNonNull(programs.named(workflow));
      Replies.requireNewId(caseId, List.of());
      boolean isOwn = !engine().ownership.isShared();
      Function<CompletableFuture<StartReply>, Request> request =
          reply ->
              new Request.Start(
                  caseId, program, input, CaseOptions.DEFAULT, isOwn ? rows : List.of(), reply);
      // In a cluster another node may change the schedule meanwhile, so the case is started without
      // the rows, which are written afterwards. Its id follows from the schedule and the time.
      return isOwn
          ? WorkflowCalls.this.<StartReply>send(caseId, request).thenApply(StartReply::isNew)
          : WorkflowCalls.this.<StartReply>ask(caseId, request).thenApply(_ -> false);
    }

    @Override
    public CompletableFuture<Void> write(
        String schedule, @Nullable TableRow old, List<RowChange> rows) {
      if (store instanceof SharedStore shared) {
        TableRow any = rows.getFirst().row();
        return shared.replace(any.kind(), schedule, 0, Optional.ofNullable(old), rows);
      }
      return store
          .commit(CommitBatch.ofRows(rows))
          .whenComplete((_, thrown) -> {
            if (thrown instanceof StoreException broken && !engine().ownership.isShared()) {
              engine().fail(broken); // as a commit of a shard does: the store cannot be trusted
            }
          });
    }

    @Override
    public boolean hasEnded(String caseId) {
      return store.record(caseId).map(record -> record.status().isEnded()).orElse(true);
    }

    @Override
    public void whenEnded(String caseId, Runnable action) {
      var _ = engine().result(caseId).whenComplete((_, _) -> action.run());
    }

    @Override
    public CompletableFuture<?> cancel(String caseId, String reason) {
      return engine().feed(caseId, new Input.Kill("case", false, reason), null);
    }
  }

  /// Runs a workflow to its end on the calling thread and returns its result. Nothing is stored and
  /// nothing is durable: there is no case, no id, no trace and no receipt. If the process dies, the
  /// run is lost; effects that were performed stay performed.
  ///
  /// Effects run one after another on the calling thread, the one that started first before the
  /// others. Each call of a handler has a random key and an empty case id. Allow lists, budgets and
  /// limits hold; an effect above a limit of concurrent calls fails with `limit`. An interrupt
  /// cancels the run, undoes what was done, and stays set.
  ///
  /// Any thread may call, also a handler and a task function. Throws [CaseFailedException],
  /// [CaseCancelledException] or [CaseStuckException] if the workflow has no result. Throws
  /// `IllegalArgumentException` with the place, before the first task runs, if the workflow waits
  /// for signals, decisions or time, uses idempotency keys, or has a task without a handler. What a
  /// script does is not known before it runs: a step that waits fails with `not_allowed`.
  public <I, O> O call(Workflow<I, O> workflow, I input) {
    return call(workflow, input, CaseOptions.DEFAULT);
  }

  /// Runs a workflow as [#call(Workflow, Object)] does, with the seed, limits, allow list and
  /// budget of the options. Throws `IllegalArgumentException` if they have a deadline.
  public <I, O> O call(Workflow<I, O> workflow, I input, CaseOptions own) {
    return callResult(workflow, input, own).orElseThrow(CALL);
  }

  /// Runs a workflow as [#call(Workflow, Object)] does and returns how it ended.
  public <I, O> CaseResult<O> callResult(Workflow<I, O> workflow, I input) {
    return callResult(workflow, input, CaseOptions.DEFAULT);
  }

  /// Runs a workflow as [#call(Workflow, Object, CaseOptions)] does and returns how it ended.
  public <I, O> CaseResult<O> callResult(Workflow<I, O> workflow, I input, CaseOptions own) {
    requireOpen();
    var definition = workflow.definition();
    if (own.deadline().isPresent()) {
      throw new IllegalArgumentException(
          "workflow " + definition.name() + ": a call has no deadline; start a case");
    }
    Program program = programs.register(definition);
    Context context = workflow.encode(input);
    Replies.requireInput("workflow " + definition.name(), program, context);
    return calls().call(definition, program, context, own).map(workflow::decode);
  }
}

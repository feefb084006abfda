package dev.damask.cases;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.caller.MigrationResult;
import dev.damask.caller.StartReply;
import dev.damask.cluster.SharedStore;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.EffectRunner;
import dev.damask.effect.Effects;
import dev.damask.effect.Permits;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.intake.Admission;
import dev.damask.intake.CaseOwnership;
import dev.damask.intake.Counters;
import dev.damask.intake.MessageDelivery;
import dev.damask.intake.MoveMonitor;
import dev.damask.intake.PastReceipts;
import dev.damask.intake.Replies;
import dev.damask.intake.Request;
import dev.damask.intake.Retention;
import dev.damask.intake.Service;
import dev.damask.nursery.ChildError;
import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.ErrorPolicy;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.nursery.ThreadKind;
import dev.damask.ops.IncidentRows;
import dev.damask.ops.Statistics;
import dev.damask.program.Program;
import dev.damask.store.RowChange;
import dev.damask.store.RowCounts;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoredProgram;
import dev.damask.term.Flow;
import dev.damask.term.Workflow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// An engine that runs the cases of a store.
///
/// Every method may be called from any thread. Unless stated otherwise, a method returns after its
/// result is durable. It throws `IllegalArgumentException` if the case does not exist,
/// `IllegalStateException` if the engine is closed, the case is quarantined or its program is
/// missing, and [StoreException] after the store has failed, which stops the engine.
public final class Engine extends TaskInputs implements AutoCloseable {
  static final String CLOSED = "the engine is closed";
  private static final String SHARD = "shard-";
  private static final Workflow<?, Context> ANY = Flow.workflow("any", Flow.skip()); // flat data

  private static final System.Logger LOG = System.getLogger(Engine.class.getName());

  final Counters counters = new Counters();
  final MessageDelivery messages;
  final EngineOptions options;
  final CaseOwnership ownership;
  private final Effects effects;
  final Permits permits;
  private final DirectCalls calls;
  private final List<Shard> shards = new ArrayList<>();
  final Nursery nursery;
  final Nursery listeners;
  private final AtomicReference<@Nullable StoreException> failure = new AtomicReference<>();
  final CountDownLatch closed = new CountDownLatch(1);
  private volatile List<String> leftBehind = List.of(); // written by the closer
  private volatile boolean isClosed; // written by the closer, read by every caller

  /// @param maker creates the caller of handlers, given where it reports results
  Engine(
      EngineOptions options,
      Store store,
      Programs programs,
      BiFunction<Engine, Effects.Sink, Effects> maker,
      Workflow<?, ?>... workflows) {
    super(store, programs);
    this.options = options;
    this.messages = new MessageDelivery(store, caseId -> shard(caseId).inbox, this::owns);
    Set<String> listeners = options.namedListeners().keySet();
    programs.onNew(program -> {
      Programs.unknownListeners(program, listeners)
          .forEach(each -> LOG.log(System.Logger.Level.WARNING, each));
      messages.programKnown();
      schedules().wake();
    });
    programs.onAttributes(index::added);
    for (Workflow<?, ?> workflow : workflows) {
      programs.register(workflow.definition());
    }
    programs.store();
    this.ownership =
        store instanceof SharedStore shared ? new ClusterNode(this, shared) : CaseOwnership.ALL;
    counters.incidents.add(RowCounts.of(store, IncidentRows.KIND));
    counters.paused.add(RowCounts.of(store, CasePauses.KIND));
    this.effects = maker.apply(this, this::report);
    this.permits = ShardPermits.open(this);
    this.calls = new DirectCalls(options, effects, permits, counters);
    for (int i = 0; i < options.shards(); i++) {
      shards.add(new Shard(i, this, options, store, effects));
    }
    store.suspects().forEach(caseId -> shard(caseId).suspect(caseId));
    if (!ownership.isShared()) { // a node resumes the cases of a slot when it has acquired it
      store.scanActive(caseId -> shard(caseId).recover(caseId));
    }
    messages.repeatAll();
    this.nursery = nursery("engine");
    this.listeners = nursery("listeners");
  }

  private Nursery nursery(String name) {
    return Nursery.open(
        NurseryOptions.named(name)
            .withGrace(options.grace())
            .withPolicy(ErrorPolicy.SUPERVISE)
            .withOnError(this::childFailed));
  }

  /// Reports a child that failed; the others continue. The engine stops if it cannot work without
  /// the child, or if the JVM has no memory left.
  private void childFailed(ChildError child) {
    if (child.child().startsWith(SHARD) || child.error() instanceof VirtualMachineError) {
      fail(new StoreException(child.child() + " failed: " + child.error(), child.error()));
    } else {
      LOG.log(System.Logger.Level.ERROR, child.child() + " of the engine failed", child.error());
    }
  }

  /// Gives every shard its thread.
  void launch() {
    index.launch(); // first: it may fail, and no thread may be left then
    programs.descriptions().launch(all -> nursery.launch("descriptions", _ -> all.run()));
    for (int i = 0; i < shards.size(); i++) {
      Shard shard = shards.get(i);
      shard.thread.launching();
      nursery.launch(daemon(SHARD + i), _ -> shard.thread.run());
    }
    var monitor = new MoveMonitor(options.moveBudget(), options.slowMoves(), counters);
    var activities = shards.stream().map(shard -> shard.activity).toList();
    serve(
        ChildOptions.named("carriers").withThread(ThreadKind.PLATFORM),
        () -> effects.watch(closed));
    // A daemon, as are the shards: they run user code, and what is left behind must not keep the
    // process. Until the engine is closed, the thread "carriers" does.
    serve(daemon("monitor"), () -> monitor.run(activities, closed));
    nursery.launch("programs", _ -> reportMissing(counters, closed));
    serve("claims", () -> sweepClaims(closed));
    options.clock().onJump(schedules()::wake);
    serve("schedules", () -> schedules().run(closed));
    if (ownership instanceof ClusterNode node) {
      serve("inbox", () -> node.run(closed));
      serve("messages", () -> node.deliverFamily(closed));
      serve("permits", () -> node.permits.run(closed));
      serve("deadlines", () -> node.expire(closed));
      node.store.serve(node);
    }
    if (!options.retention().isZero()) {
      serve("retention", () -> retention().run(closed, () -> failure() != null));
    }
  }

  @Override
  EngineOptions options() {
    return options;
  }

  /// Launches a thread that the engine needs: if it fails, it begins again.
  private void serve(ChildOptions child, Service service) {
    nursery.launch(child, _ -> Service.run(child.name(), closed, () -> failure() != null, service));
  }

  private void serve(String name, Service service) {
    serve(ChildOptions.named(name), service);
  }

  private static ChildOptions daemon(String name) {
    return ChildOptions.named(name).withThread(ThreadKind.PLATFORM_DAEMON);
  }

  static EffectRunner runner(Engine engine, Effects.Sink sink) {
    EngineOptions options = engine.options;
    return new EffectRunner(
        options.grace(),
        options::callsMax,
        engine::finished,
        engine.counters.metered(sink),
        reason -> engine.fail(new StoreException(reason)));
  }

  /// Registers a workflow, so that its cases resume. Durable when this method returns.
  @Override
  public void register(Workflow<?, ?> workflow) {
    register(workflow, Bytes.of());
  }

  /// Registers a workflow and stores its document. Every later engine on the store that can read
  /// the document registers the workflow by itself. Durable when this method returns.
  public void register(Workflow<?, ?> workflow, Bytes source) {
    register(programs.register(workflow.definition()), source);
  }

  /// Registers a workflow that the caller has compiled, with the document that it was compiled
  /// from. Durable when it returns. Throws `IllegalArgumentException` if the program is not one of
  /// this workflow.
  public void register(WorkflowDefinition workflow, Program program, Bytes source) {
    if (!program.name().equals(workflow.name())) {
      throw new IllegalArgumentException(
          "program %s is not of workflow %s".formatted(program.name(), workflow.name()));
    }
    programs.register(workflow, program);
    register(program, source);
  }

  private void register(Program program, Bytes source) {
    programs.store(new StoredProgram(program.hash(), program.name(), source));
    if (programs.wasMissed(program.hash())) {
      for (Shard shard : shards) {
        Replies.get(this.<Boolean>send(shard, Request.Rescan::new));
      }
      counters.missing(missingPrograms());
    }
  }

  /// Starts a case and returns a handle to it. If a case with this id exists, returns a handle to
  /// that case and ignores `input`. The case is durable when this method returns. Throws
  /// `IllegalArgumentException` if the id is malformed, reserved or belongs to another workflow.
  public <I, O> Run<O> start(Workflow<I, O> workflow, String caseId, I input) {
    return start(workflow, caseId, input, CaseOptions.DEFAULT);
  }

  /// As [#start(Workflow, String, Object)], with options that are stored with the case.
  public <I, O> Run<O> start(Workflow<I, O> workflow, String caseId, I input, CaseOptions own) {
    Context context = workflow.encode(input);
    Replies.requireNewId(caseId, List.of());
    Program program = admitted(workflow, caseId, context, own);
    StartReply reply =
        Replies.get(
            ask(
                caseId,
                future -> new Request.Start(caseId, program, context, own, List.of(), future)));
    return new Run<>(this, workflow, caseId, reply);
  }

  /// As [#start(Workflow, String, Object)], with an id that the engine chooses, see [Run#caseId].
  public <I, O> Run<O> start(Workflow<I, O> workflow, I input) {
    return start(workflow, UUID.randomUUID().toString(), input);
  }

  /// Starts a case as [#start] does, without blocking. Completes when the case is durable.
  public <I> CompletableFuture<StartReply> startAsync(
      Workflow<I, ?> workflow, String caseId, I input) {
    return startAsync(workflow, caseId, input, CaseOptions.DEFAULT);
  }

  /// Starts a case with options that are stored with it. Completes when the case is durable.
  public <I> CompletableFuture<StartReply> startAsync(
      Workflow<I, ?> workflow, String caseId, I input, CaseOptions own) {
    return startAsync(workflow, caseId, input, own, List.of());
  }

  /// Starts a case and writes rows of the store's table in the same atomic commit. If a case with
  /// this id exists, no row is written. Completes when the case is durable.
  public <I> CompletableFuture<StartReply> startAsync(
      Workflow<I, ?> workflow, String caseId, I input, CaseOptions own, List<RowChange> rows) {
    Context context = workflow.encode(input);
    Replies.requireNewId(caseId, rows);
    Program program = admitted(workflow, caseId, context, own);
    return send(
        caseId,
        reply -> new Request.Start(caseId, program, context, own, List.copyOf(rows), reply));
  }

  Program admitted(Workflow<?, ?> workflow, String caseId, Context context, CaseOptions own) {
    Program program = programs.started(workflow.definition());
    Replies.requireSmall("case " + caseId, context, own.limits().orElse(program.limits()));
    Replies.requireInput(program, caseId, context);
    Admission.await(
        store, effects, options.openCallsMax(), options.refuseWhenFull(), () -> isClosed);
    return program;
  }

  /// Returns a handle to a case. The case need not exist.
  public Run<Context> run(String caseId) {
    return run(ANY, caseId);
  }

  /// Returns a handle to a case of a workflow. The case need not exist.
  public <O> Run<O> run(Workflow<?, O> workflow, String caseId) {
    return new Run<>(this, workflow, caseId, StartReply.NONE);
  }

  @Override
  public CaseReply cancel(String caseId, String scope, String reason) {
    Replies.requireReason(reason);
    long before = System.nanoTime();
    CaseReply reply = put(caseId, new Input.Kill(scope, false, reason), null);
    counters.cancelling.record(System.nanoTime() - before);
    return reply;
  }

  /// Migrates a waiting case to another version of its workflow, or returns the reasons why it
  /// cannot be migrated and changes nothing. `mapping` has the renamed elements. The migration and
  /// the new program's name and hash are durable when this method returns.
  public MigrationResult migrate(String caseId, Workflow<?, ?> target, Mapping mapping) {
    register(target);
    Program program = programs.register(target.definition());
    return Replies.get(ask(caseId, reply -> new Request.Migrate(caseId, program, mapping, reply)));
  }

  /// Returns the end of a case as a stage. Dependent actions run on a separate thread.
  public CompletionStage<CaseResult<Context>> result(String caseId) {
    return this.<CaseResult<Context>>send(caseId, reply -> new Request.Await(caseId, reply))
        .thenApplyAsync(
            Function.identity(), task -> listen("listener of the end of case " + caseId, task))
        .minimalCompletionStage();
  }

  @Override
  void listen(String name, Runnable task) {
    listeners.launch(name, _ -> task.run());
  }

  Retention retention() {
    return new Retention(this::remove, store, options.clock(), options.retention());
  }

  /// Removes a case that has ended and not changed since a time.
  CompletableFuture<Boolean> remove(String caseId, long endedBefore) {
    return send(caseId, reply -> new Request.Remove(caseId, endedBefore, false, reply));
  }

  /// Returns counters and latencies since the engine was opened.
  public Statistics statistics() {
    long resident = shards.stream().mapToLong(Shard::resident).sum();
    long queued = shards.stream().mapToLong(shard -> shard.inbox.size()).sum();
    return counters.read(effects, resident, queued, permits.waiting());
  }

  /// Returns the limited effect types, how many calls of each are in progress, and which attempts
  /// wait for a permit.
  public List<Permits.View> limits() {
    return permits.views();
  }

  /// Returns descriptions of the handlers, functions and listeners that had not returned when the
  /// engine was closed. Their threads still run; their results are dropped.
  public List<String> leftBehind() {
    return leftBehind;
  }

  /// Closes the engine. Rejects new input, waits for running handlers during the grace period,
  /// interrupts the others, and returns when all changes are durable. A handler, function or
  /// listener that ignores the interrupt for about a second is abandoned; the log and [#leftBehind]
  /// name it. The next engine on the store repeats an interrupted or abandoned call if its delivery
  /// allows it. A function or listener that blocks a shard's thread stops that shard as if the
  /// process had died.
  @Override
  public void close() {
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
    }
    ownership.leave();
    closed.countDown();
    schedules().wake();
    try {
      if (ownership instanceof ClusterNode node) {
        node.store.retire();
      }
      leftBehind = new EngineClosing(this, options.grace(), effects).run(nursery, listeners);
    } finally {
      store.close();
    }
  }

  @Override
  <T> CompletableFuture<T> send(String caseId, Function<CompletableFuture<T>, Request> request) {
    return ownership.ask(caseId, audited(request), asked -> send(shard(caseId), asked));
  }

  private <T> CompletableFuture<T> send(
      Shard shard, Function<CompletableFuture<T>, Request> request) {
    CompletableFuture<T> reply = new CompletableFuture<>();
    if (isClosed || !shard.inbox.put(request.apply(reply))) {
      throw stopped();
    }
    return reply;
  }

  @Override
  <T> CompletableFuture<T> ask(String caseId, Function<CompletableFuture<T>, Request> request) {
    return ownership.ask(caseId, audited(request), asked -> askShard(caseId, asked));
  }

  private <T> CompletableFuture<T> askShard(
      String caseId, Function<CompletableFuture<T>, Request> request) {
    Shard shard = shard(caseId);
    CompletableFuture<T> reply = new CompletableFuture<>();
    Request asked = request.apply(reply);
    if (isClosed || !(shard.caller.run(asked, reply) || shard.inbox.put(asked))) {
      throw stopped();
    }
    return reply;
  }

  @Override
  @Nullable CaseResult<Context> known(String caseId) {
    return isClosed || failure.get() != null ? null : shard(caseId).ends.get(caseId);
  }

  private RuntimeException stopped() {
    StoreException broken = failure.get();
    return broken == null ? new IllegalStateException(CLOSED) : Replies.stopped(broken);
  }

  @Override
  void requireOpen() {
    if (isClosed) {
      throw new IllegalStateException(CLOSED);
    }
  }

  @Override
  DirectCalls calls() {
    return calls;
  }

  List<Shard> shards() {
    return shards;
  }

  Shard shard(String caseId) {
    return shards.get(Math.floorMod((caseId.hashCode() * 0x9E3779B9) >>> 8, shards.size()));
  }

  @Nullable EffectResult finished(EffectCall call) {
    return ownership.awaitKey(
        call,
        () ->
            store
                .receiptByKey(call.type(), call.key())
                .map(found -> PastReceipts.repeated(found, call))
                .orElse(null));
  }

  private void report(EffectCall call, EffectResult result) {
    ownership.report(call, result, this::report);
  }

  private void report(Request.Report report) {
    // A closed inbox: the engine is gone. The intent is durable, the next engine calls again.
    if (!shard(report.caseId()).inbox.put(report)) {
      report.refuse(new IllegalStateException(CLOSED));
      LOG.log(System.Logger.Level.DEBUG, "{0} returned after the engine was closed", report.call());
    }
  }

  Effects effects() {
    return effects;
  }

  /// Stops the engine after a failure of the store.
  void fail(StoreException cause) {
    if (failure.compareAndSet(null, cause)) {
      LOG.log(System.Logger.Level.ERROR, "the engine stops: " + cause.getMessage(), cause);
      shards.forEach(Shard::stop);
      ownership.stopped();
    }
  }

  @Override
  @Nullable StoreException failure() {
    return failure.get();
  }
}

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
import dev.damask.intake.MessageDelivery;
import dev.damask.intake.PastReceipts;
import dev.damask.intake.Replies;
import dev.damask.intake.Request;
import dev.damask.nursery.ChildError;
import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.ErrorPolicy;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.nursery.ThreadKind;
import dev.damask.ops.IncidentRows;
import dev.damask.ops.MissingProgram;
import dev.damask.ops.SignatureChange;
import dev.damask.ops.Statistics;
import dev.damask.program.Program;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoredProgram;
import dev.damask.term.Flow;
import dev.damask.term.Workflow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.time.Duration;
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

/// The front door: cases that live in a store.
///
/// Every method may be called from any thread. What a method has told its caller is durable, unless
/// its comment says otherwise. An unknown case is an `IllegalArgumentException`; a closed engine, a
/// quarantined case and a case without its program are an `IllegalStateException`; a store that
/// cannot be trusted any more stops the engine, and every call is a [StoreException] from then on.
public final class Engine extends TaskInputs implements AutoCloseable {
  static final String CLOSED = "the engine is closed";
  private static final String SHARD = "shard-";

  /// Reads any case as contexts.
  private static final Workflow<?, Context> ANY = Flow.workflow("any", Flow.skip());

  private static final System.Logger LOG = System.getLogger(Engine.class.getName());

  final Counters counters = new Counters();
  final MessageDelivery messages;
  private final long openedNanos = System.nanoTime();
  final EngineOptions options;
  final CaseOwnership ownership;
  private final Effects effects;
  final Permits permits;
  private final DirectCalls calls;
  private final List<Shard> shards = new ArrayList<>();
  private final Nursery nursery;
  private final Nursery listeners;
  private final AtomicReference<@Nullable StoreException> failure = new AtomicReference<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile List<String> leftBehind = List.of(); // written by the closer
  volatile boolean isLaunched; // false in an engine that a test drives
  private volatile boolean isClosed; // written by the closer, read by every caller

  /// @param maker makes whatever calls handlers, given where to report to
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
    counters.incidents.add(IncidentRows.count(store));
    this.effects = maker.apply(this, this::report);
    long openedMillis = store.epoch() > 1 ? options.clock().millis() : Long.MIN_VALUE;
    this.permits =
        new Permits(
            options.limits, options.shards(), openedMillis, new ShardPermits.Granting(this));
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
    isLaunched = true;
    for (int i = 0; i < shards.size(); i++) {
      Shard shard = shards.get(i);
      shard.thread.launching();
      nursery.launch(daemon(SHARD + i), _ -> shard.thread.run());
    }
    List<MoveMonitor.Watched> watched =
        shards.stream().map(shard -> new MoveMonitor.Watched(shard.activity)).toList();
    nursery.launch(
        ChildOptions.named("carriers").withThread(ThreadKind.PLATFORM), _ -> effects.watch(closed));
    // A daemon, as are the shards: they run user code, and what is left behind must not keep the
    // process. Until the engine is closed, the thread "carriers" does.
    nursery.launch(daemon("monitor"), _ -> new MoveMonitor(options, counters).run(watched, closed));
    nursery.launch("programs", _ -> reportMissing());
    options.clock().onJump(schedules()::wake);
    nursery.launch("schedules", _ -> schedules().run(closed));
    index.launch();
    if (ownership instanceof ClusterNode node) {
      nursery.launch("inbox", _ -> node.run(closed));
      nursery.launch("messages", _ -> messages.poll(closed));
      node.store.serve(node);
    }
    if (!options.retention().isZero()) {
      nursery.launch("retention", _ -> new Retention(this, store, options).run(closed));
    }
  }

  /// The scopes of known workflows that name a listener without [EngineOptions#withNamedListener],
  /// one sentence each. The engine also logs them when it is opened and when a workflow becomes
  /// known.
  public List<String> unknownListeners() {
    return programs.unknownListeners(options.namedListeners().keySet());
  }

  /// Returns the handlers of registered workflows whose signature has changed since cases that have
  /// not ended were started. The engine also logs them when it is opened.
  public List<SignatureChange> signatureChanges() {
    return programs.signatureChanges(options.clock().millis());
  }

  private void reportMissing() {
    try {
      List<MissingProgram> missing = missingPrograms();
      counters.missing(missing);
      if (!missing.isEmpty()) {
        LOG.log(System.Logger.Level.WARNING, MissingProgram.summary(missing));
      }
      signatureChanges().forEach(each -> LOG.log(System.Logger.Level.WARNING, each.toString()));
    } catch (IllegalStateException | StoreException e) {
      if (!isClosed) {
        throw e;
      }
    }
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
        sink,
        reason -> engine.fail(new StoreException(reason)));
  }

  /// Makes a workflow known, so that cases of it go on. When it returns the store knows its hash
  /// and name.
  @Override
  public void register(Workflow<?, ?> workflow) {
    register(workflow, Bytes.of());
  }

  /// Makes a workflow known and keeps the document it came from. Every later engine on the store
  /// that can read the document knows the workflow; durable when it returns.
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

  /// Starts a case, unless there is one of that id, and gives a handle on it. When it returns the
  /// case is durable and will go on whatever happens.
  public <I, O> Run<O> start(Workflow<I, O> workflow, String caseId, I input) {
    return start(workflow, caseId, input, CaseOptions.DEFAULT);
  }

  /// As above, with terms of its own, which are kept with the case.
  public <I, O> Run<O> start(Workflow<I, O> workflow, String caseId, I input, CaseOptions own) {
    Context context = workflow.encode(input);
    Program program = admitted(workflow, caseId, context, own);
    StartReply reply =
        Replies.get(
            ask(
                caseId,
                future -> new Request.Start(caseId, program, context, own, List.of(), future)));
    return new Run<>(this, workflow, caseId, reply);
  }

  /// Starts a case with an id that the engine chooses, see [Run#caseId]; durable as above.
  public <I, O> Run<O> start(Workflow<I, O> workflow, I input) {
    return start(workflow, UUID.randomUUID().toString(), input);
  }

  /// Starts a case as [#start] does, for callers with many cases at once. Completes when the case
  /// is durable.
  public <I> CompletableFuture<StartReply> startAsync(
      Workflow<I, ?> workflow, String caseId, I input) {
    return startAsync(workflow, caseId, input, CaseOptions.DEFAULT);
  }

  /// Starts a case with options of its own; completes when the case is durable.
  public <I> CompletableFuture<StartReply> startAsync(
      Workflow<I, ?> workflow, String caseId, I input, CaseOptions own) {
    return startAsync(workflow, caseId, input, own, List.of());
  }

  /// Starts a case and writes rows of the store's table in the same atomic commit. If a case with
  /// this id exists, no row is written. Completes when the case is durable.
  public <I> CompletableFuture<StartReply> startAsync(
      Workflow<I, ?> workflow, String caseId, I input, CaseOptions own, List<RowChange> rows) {
    Context context = workflow.encode(input);
    Program program = admitted(workflow, caseId, context, own);
    return send(
        caseId,
        reply -> new Request.Start(caseId, program, context, own, List.copyOf(rows), reply));
  }

  Program admitted(Workflow<?, ?> workflow, String caseId, Context context, CaseOptions own) {
    Program program = programs.register(workflow.definition());
    Replies.requireId(caseId);
    Replies.requireSmall(caseId, context, own.limits().orElse(program.limits()));
    Replies.requireInput(program, caseId, context);
    Admission.await(
        store, effects, options.openCallsMax(), options.refuseWhenFull(), () -> isClosed);
    return program;
  }

  /// A handle on a case that may or may not exist.
  public Run<Context> run(String caseId) {
    return run(ANY, caseId);
  }

  /// A handle on a case of a workflow; the case may or may not exist.
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

  /// Moves a waiting case to another version of its workflow: all of it, or nothing with the
  /// reasons. The mapping says what was renamed. When it returns, the move is durable, and so is
  /// the new program's name and hash.
  public MigrationResult migrate(String caseId, Workflow<?, ?> target, Mapping mapping) {
    register(target);
    Program program = programs.register(target.definition());
    return Replies.get(ask(caseId, reply -> new Request.Migrate(caseId, program, mapping, reply)));
  }

  /// The end of a case as a stage; what depends on it runs in a thread of its own.
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

  /// Removes a case that has ended and not changed since a time.
  CompletableFuture<Boolean> remove(String caseId, long endedBefore) {
    return send(caseId, reply -> new Request.Remove(caseId, endedBefore, false, reply));
  }

  /// Returns counters and latencies since the engine was opened.
  public Statistics statistics() {
    Duration uptime = Duration.ofNanos(System.nanoTime() - openedNanos);
    return counters.read(uptime, effects, shards, permits.waiting());
  }

  /// Returns the limited effect types, how many calls of each are in progress, and which attempts
  /// wait for a permit.
  public List<Permits.View> limits() {
    return permits.views();
  }

  /// The handlers, functions and listeners that had not returned when the engine was closed, one
  /// description each. Their threads still run; their results are dropped.
  public List<String> leftBehind() {
    return leftBehind;
  }

  /// Accepts no more input, gives running handlers the grace period of the options, interrupts
  /// those that are left, and returns when everything is durable. A handler, function or listener
  /// that ignores the interrupt for about a second is left behind and named in the log and by
  /// [#leftBehind]. A call that was interrupted or left behind is repeated by the next engine on
  /// the store, if its delivery allows that; a function or a listener on the thread of a shard
  /// stops that shard as if the process had died.
  @Override
  public void close() {
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
    }
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
    return ownership.ask(caseId, request, asked -> send(shard(caseId), asked));
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
    return ownership.ask(caseId, request, asked -> askShard(caseId, asked));
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
    // A closed inbox means that the engine is gone: the intent is durable, the next one calls
    // again.
    if (!shard(report.caseId()).inbox.put(report)) {
      LOG.log(System.Logger.Level.DEBUG, "{0} came back to a closed engine", report.call());
    }
  }

  Effects effects() {
    return effects;
  }

  /// Stops everything: the store cannot be trusted any more.
  void fail(StoreException cause) {
    if (failure.compareAndSet(null, cause)) {
      LOG.log(System.Logger.Level.ERROR, "the engine stops: " + cause.getMessage(), cause);
      shards.forEach(Shard::stop);
    }
  }

  @Override
  @Nullable StoreException failure() {
    return failure.get();
  }
}

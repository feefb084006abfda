package dev.damask.cases;

import dev.damask.check.Finding;
import dev.damask.check.TermCheck;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.EffectRunner;
import dev.damask.effect.Effects;
import dev.damask.effect.Receipt;
import dev.damask.exec.Input;
import dev.damask.exec.Mapping;
import dev.damask.exec.Reply;
import dev.damask.exec.TraceEvent;
import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.nursery.ThreadKind;
import dev.damask.program.Program;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.StoreFailure;
import dev.damask.store.StoreProvider;
import dev.damask.store.StoredProgram;
import dev.damask.task.Bytes;
import dev.damask.task.Context;
import dev.damask.task.EffectId;
import dev.damask.term.Workflow;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The front door: cases that live in a store.
///
/// Every method may be called from any thread. What a method has told its caller is durable, unless
/// its comment says otherwise. An unknown case is an `IllegalArgumentException`; a closed engine, a
/// quarantined case and a case without its program are an `IllegalStateException`; a store that
/// cannot be trusted any more stops the engine, and every call is a [StoreFailure] from then on.
public final class Engine implements AutoCloseable {
  static final String CLOSED = "the engine is closed";

  final Programs programs;
  final Counters counters = new Counters();
  private final long openedNanos = System.nanoTime();
  private final Store store;
  private final EngineOptions options;
  private final Effects effects;
  private final List<Shard> shards = new ArrayList<>();
  private final Nursery nursery;
  private final AtomicReference<@Nullable StoreFailure> failure = new AtomicReference<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean isClosed; // written by the closer, read by every caller

  /// @param maker makes whatever calls handlers, given where to report to
  Engine(
      EngineOptions options,
      Store store,
      Programs programs,
      BiFunction<Engine, Effects.Sink, Effects> maker,
      Workflow... workflows) {
    this.options = options;
    this.store = store;
    this.programs = programs;
    for (Workflow workflow : workflows) {
      programs.register(workflow);
    }
    programs.store();
    this.effects = maker.apply(this, this::report);
    for (int i = 0; i < options.shards(); i++) {
      shards.add(new Shard(i, this, options, store, effects));
    }
    store.suspects().forEach(caseId -> shard(caseId).suspect(caseId));
    store.scanActive(caseId -> shard(caseId).recover(caseId));
    this.nursery = Nursery.open(NurseryOptions.named("engine").withGrace(options.grace()));
  }

  /// Gives every shard its thread.
  private void launch() {
    for (int i = 0; i < shards.size(); i++) {
      Shard shard = shards.get(i);
      nursery.launch(
          ChildOptions.named("shard-" + i).withThread(ThreadKind.PLATFORM), _ -> shard.run());
    }
    if (!options.retention().isZero()) {
      nursery.launch("retention", _ -> new Retention(this, store, options).run(closed));
    }
  }

  private static EffectRunner runner(Engine engine, Effects.Sink sink) {
    EngineOptions options = engine.options;
    return new EffectRunner(options.grace(), options::callsMax, engine::finished, sink);
  }

  /// An engine in memory: nothing outlives it.
  public static Engine open(Workflow... workflows) {
    return open(EngineOptions.defaults(), new MemoryStore(), workflows);
  }

  /// An engine on a folder. Cases found there go on as soon as their programs are registered.
  public static Engine open(Path folder, Workflow... workflows) {
    return open(EngineOptions.defaults(), folder, workflows);
  }

  public static Engine open(EngineOptions options, Path folder, Workflow... workflows) {
    StoreProvider provider =
        ServiceLoader.load(StoreProvider.class)
            .findFirst()
            .orElseThrow(() ->
                new StoreFailure(
                    "no store for folders was found: add damask-store-rocksdb to the class or"
                        + " module path"));
    return open(options, provider.open(folder), workflows);
  }

  /// An engine on a store, which it closes when it is closed.
  public static Engine open(EngineOptions options, Store store, Workflow... workflows) {
    boolean isOpen = false;
    try {
      Programs programs = new Programs(store, options.sources());
      Engine engine = new Engine(options, store, programs, Engine::runner, workflows);
      engine.launch();
      isOpen = true;
      return engine;
    } finally {
      if (!isOpen) {
        store.close();
      }
    }
  }

  /// What is wrong with a workflow; empty when nothing is.
  public static List<Finding> check(Workflow workflow) {
    return TermCheck.check(workflow);
  }

  /// Makes a workflow known, so that cases of it go on. When it returns the store knows its hash
  /// and name.
  public void register(Workflow workflow) {
    register(workflow, Bytes.of());
  }

  /// Makes a workflow known and keeps the document it came from. Every later engine on the store
  /// that can read the document knows the workflow; durable when it returns.
  public void register(Workflow workflow, Bytes source) {
    Program program = programs.register(workflow);
    programs.store(new StoredProgram(program.hash(), program.name(), source));
    if (programs.wasMissed(program.hash())) {
      for (Shard shard : shards) {
        Replies.get(this.<Boolean>send(shard, Request.Rescan::new));
      }
    }
  }

  /// Starts a case, unless there is one of that id, and gives a handle on it. When it returns the
  /// case is durable and will go on whatever happens.
  public Run start(Workflow workflow, String caseId, Context context) {
    return start(workflow, caseId, context, CaseOptions.DEFAULT);
  }

  /// As above, with terms of its own, which are kept with the case.
  public Run start(Workflow workflow, String caseId, Context context, CaseOptions own) {
    Replies.get(startAsync(workflow, caseId, context, own));
    return new Run(this, caseId);
  }

  /// As [#start], for callers with many cases at once. Completes when the case is durable, with
  /// whether it is new.
  public CompletableFuture<Boolean> startAsync(Workflow workflow, String caseId, Context context) {
    return startAsync(workflow, caseId, context, CaseOptions.DEFAULT);
  }

  /// As above, with terms of its own.
  public CompletableFuture<Boolean> startAsync(
      Workflow workflow, String caseId, Context context, CaseOptions own) {
    Program program = programs.register(workflow);
    Replies.requireId(caseId);
    Replies.requireSmall(caseId, context, own.limits().orElse(program.limits()));
    if (!store.hasRoom()) {
      throw new IllegalStateException(
          "the disk of the store is nearly full: free some space and try again; running cases go"
              + " on");
    }
    awaitRoomForCalls();
    return send(caseId, reply -> new Request.Start(caseId, program, context, own, reply));
  }

  /// New cases wait, or are refused, while too many effects do: whatever is started now could only
  /// join their queue.
  private void awaitRoomForCalls() {
    while (effects.open() >= options.openCallsMax() && !isClosed) {
      if (options.refuseWhenFull()) {
        throw new IllegalStateException(
            "the engine is busy: %d effects run or wait; try again, nothing was changed"
                .formatted(effects.open()));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  /// A handle on a case that may or may not exist.
  public Run run(String caseId) {
    return new Run(this, caseId);
  }

  /// Puts a token on an external place. When it returns, the signal and what follows from it up to
  /// the next wait are durable.
  public Reply signal(
      String caseId, String place, Map<String, ? extends @Nullable Object> payload) {
    return Replies.get(feed(caseId, new Input.Signal(place, Context.from(payload)), null));
  }

  /// As above; a message id that the case has consumed before changes nothing and gets the answer
  /// it got then.
  public Reply signal(
      String caseId,
      String place,
      Map<String, ? extends @Nullable Object> payload,
      String messageId) {
    return Replies.get(feed(caseId, new Input.Signal(place, Context.from(payload)), messageId));
  }

  /// As [#signal], for callers with many signals at once.
  public CompletableFuture<Reply> signalAsync(
      String caseId, String place, Map<String, ? extends @Nullable Object> payload) {
    return feed(caseId, new Input.Signal(place, Context.from(payload)), null);
  }

  /// Cancels a case. When it returns, the cancellation is durable and running handlers have been
  /// interrupted; undoing may still go on.
  public Reply cancel(String caseId) {
    return cancel(caseId, "case");
  }

  /// Withdraws every open activation of a scope, a set of instances or a task; durable as above.
  public Reply cancel(String caseId, String scope) {
    long before = System.nanoTime();
    Reply reply = Replies.get(feed(caseId, new Input.Kill(scope, false), null));
    counters.cancelling.record(System.nanoTime() - before);
    return reply;
  }

  /// Ends every open activation as if it had completed; durable when it returns.
  public Reply complete(String caseId, String scope) {
    return Replies.get(feed(caseId, new Input.Kill(scope, true), null));
  }

  /// Adds an instance to an open set; durable when it returns.
  public Reply addInstance(String caseId, String instances) {
    return Replies.get(feed(caseId, new Input.AddInstance(instances, null, false), null));
  }

  /// Adds an instance with an item to an open set; durable when it returns.
  public Reply addInstance(String caseId, String instances, @Nullable Object item) {
    return Replies.get(feed(caseId, new Input.AddInstance(instances, item, true), null));
  }

  /// Allows no further instances; durable when it returns.
  public Reply closeInstances(String caseId, String instances) {
    return Replies.get(feed(caseId, new Input.CloseInstances(instances), null));
  }

  /// A pending task has this result. When it returns, the result and its receipt are durable; a
  /// late result has a receipt and changes nothing else.
  public Reply completeTask(
      String caseId, EffectId task, Map<String, ? extends @Nullable Object> result) {
    Request.Verdict verdict = new Request.Verdict.Done(Context.from(result));
    return Replies.get(send(caseId, reply -> new Request.Answer(caseId, task, verdict, reply)));
  }

  /// An attempt of a pending task failed; durable when it returns, with its receipt.
  public Reply failTask(String caseId, EffectId task, String reason) {
    Request.Verdict verdict = new Request.Verdict.Failed(reason, "");
    return Replies.get(send(caseId, reply -> new Request.Answer(caseId, task, verdict, reply)));
  }

  /// Somebody decides about a task that waits for an approval. When it returns, the decision and
  /// its receipt are durable, and an effect that was approved is on its way. Rejected when the task
  /// waits for no decision or `by` is none of its approvers.
  public Reply decide(String caseId, EffectId task, boolean isApproved, String by) {
    Request.Verdict verdict = new Request.Verdict.Decided(isApproved, by);
    return Replies.get(send(caseId, reply -> new Request.Answer(caseId, task, verdict, reply)));
  }

  /// Withdraws a pending task; durable when it returns.
  public Reply cancelTask(String caseId, EffectId task) {
    Request.Verdict verdict = new Request.Verdict.Withdrawn();
    return Replies.get(send(caseId, reply -> new Request.Answer(caseId, task, verdict, reply)));
  }

  /// Releases a quarantined case, which goes on from its last commit; false when it is not
  /// quarantined. Durable when it returns.
  public boolean retry(String caseId) {
    return Replies.get(send(caseId, reply -> new Request.Retry(caseId, reply)));
  }

  /// Moves a waiting case to another version of its workflow: all of it, or nothing with the
  /// reasons. The mapping says what was renamed. When it returns, the move is durable, and so is
  /// the new program's name and hash.
  public MigrationResult migrate(String caseId, Workflow target, Mapping mapping) {
    register(target);
    Program program = programs.register(target);
    return Replies.get(send(caseId, reply -> new Request.Migrate(caseId, program, mapping, reply)));
  }

  /// Waits until a case has ended or is stuck. The result is durable.
  public CaseResult await(String caseId) throws InterruptedException {
    try {
      return awaiting(caseId).get();
    } catch (ExecutionException e) {
      throw Replies.unwrapped(e.getCause());
    }
  }

  /// As above, but gives up after a time; empty then. The case goes on.
  public Optional<CaseResult> await(String caseId, Duration time) throws InterruptedException {
    try {
      return Optional.of(awaiting(caseId).get(time.toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw Replies.unwrapped(e.getCause());
    }
  }

  /// The end of a case as a stage; what depends on it runs in a thread of its own.
  public CompletionStage<CaseResult> result(String caseId) {
    return awaiting(caseId)
        .thenApplyAsync(Function.identity(), task -> nursery.launch("listener", _ -> task.run()))
        .minimalCompletionStage();
  }

  private CompletableFuture<CaseResult> awaiting(String caseId) {
    return send(caseId, reply -> new Request.Await(caseId, reply));
  }

  /// How a case stands at its last durable revision.
  public CaseView status(String caseId) {
    return Replies.get(send(caseId, reply -> new Request.Look(caseId, reply)));
  }

  /// What was traced up to the last durable revision; empty unless the options ask for a trace.
  public List<TraceEvent> trace(String caseId) {
    status(caseId);
    return TraceCodec.decode(store.trace(caseId));
  }

  /// The receipts up to the last durable revision, in order.
  public List<Receipt> receipts(String caseId) {
    status(caseId);
    return store.receipts(caseId);
  }

  /// Durable cases by workflow, status and time, a page at a time.
  public CasePage list(CaseQuery query) {
    return store.list(query);
  }

  /// Looks at the whole store: one sentence for each thing that does not fit.
  public List<String> verify() {
    return verify(_ -> {});
  }

  /// As above; the progress hears now and then how many cases were looked at.
  public List<String> verify(LongConsumer progress) {
    return new Inspection(store, programs).run(progress);
  }

  /// Writes a copy of the store that can be opened like the original, while the engine goes on. It
  /// holds at least everything that was acknowledged before the call.
  ///
  /// @param folder must not exist yet
  public void backup(Path folder) {
    store.backup(folder);
  }

  /// Removes what is left of a case that cannot be read any more; false when it can be read. When
  /// it returns, the removal is durable. Nothing does this by itself.
  public boolean salvage(String caseId) {
    return Replies.get(send(caseId, reply -> new Request.Remove(caseId, 0, true, reply)));
  }

  /// Removes a case that has ended and not changed since a time.
  CompletableFuture<Boolean> remove(String caseId, long endedBefore) {
    return send(caseId, reply -> new Request.Remove(caseId, endedBefore, false, reply));
  }

  public Statistics statistics() {
    return new Statistics(
        Duration.ofNanos(System.nanoTime() - openedNanos),
        counters.started.sum(),
        counters.ended.sum(),
        counters.removed.sum(),
        counters.steps.sum(),
        effects.calls(),
        counters.commits.sum(),
        counters.batches.sum(),
        counters.bytes.sum(),
        shards.stream().mapToLong(Shard::resident).sum(),
        shards.stream().mapToLong(shard -> shard.inbox.size()).sum(),
        effects.open(),
        counters.committing.read(),
        counters.cancelling.read());
  }

  /// Takes nothing more in, gives running handlers the grace of the options, interrupts those that
  /// are left, and returns when everything is durable and no thread remains. What was interrupted
  /// is called again by the next engine on the store, if its delivery allows that.
  @Override
  public void close() {
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
    }
    closed.countDown();
    shards.forEach(Shard::closing);
    effects.close(options.grace());
    shards.forEach(Shard::stop);
    try {
      nursery.close();
    } finally {
      store.close();
    }
  }

  CompletableFuture<Reply> feed(String caseId, Input input, @Nullable String messageId) {
    return send(caseId, reply -> new Request.Feed(caseId, input, messageId, reply));
  }

  <T> CompletableFuture<T> send(String caseId, Function<CompletableFuture<T>, Request> request) {
    return send(shard(caseId), request);
  }

  private <T> CompletableFuture<T> send(
      Shard shard, Function<CompletableFuture<T>, Request> request) {
    CompletableFuture<T> reply = new CompletableFuture<>();
    if (isClosed || !shard.inbox.put(request.apply(reply))) {
      StoreFailure broken = failure.get();
      throw broken == null ? new IllegalStateException(CLOSED) : Replies.stopped(broken);
    }
    return reply;
  }

  List<Shard> shards() {
    return shards;
  }

  Shard shard(String caseId) {
    return shards.get(Math.floorMod((caseId.hashCode() * 0x9E3779B9) >>> 8, shards.size()));
  }

  EffectResult.@Nullable Same finished(String type, String key) {
    Store.KeyedReceipt found = store.receiptByKey(type, key).orElse(null);
    return found != null && found.receipt().body().result() instanceof Receipt.Result.Ok(var result)
        ? new EffectResult.Same(found.caseId() + "#" + found.receipt().number(), result)
        : null;
  }

  private void report(EffectCall call, EffectResult result) {
    // A closed inbox means that the engine is gone: the intent is durable, the next one calls
    // again.
    boolean isTaken = shard(call.caseId()).inbox.put(new Request.Report(call, result));
    if (!isTaken) {
      System.getLogger(Engine.class.getName())
          .log(System.Logger.Level.DEBUG, "{0} came back to a closed engine", call);
    }
  }

  /// Stops everything: the store cannot be trusted any more.
  void fail(StoreFailure cause) {
    if (failure.compareAndSet(null, cause)) {
      shards.forEach(Shard::stop);
    }
  }

  @Nullable StoreFailure failure() {
    return failure.get();
  }
}

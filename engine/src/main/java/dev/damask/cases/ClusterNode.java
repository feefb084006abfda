package dev.damask.cases;

import dev.damask.caller.PendingTask;
import dev.damask.cluster.CaseMessage;
import dev.damask.cluster.SharedStore;
import dev.damask.cluster.SlotOwner;
import dev.damask.cluster.Slots;
import dev.damask.effect.Computation;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.effect.Permits;
import dev.damask.intake.AuditedReply;
import dev.damask.intake.BorrowedPermits;
import dev.damask.intake.CaseMessages;
import dev.damask.intake.CaseOwnership;
import dev.damask.intake.InboxReply;
import dev.damask.intake.KeyClaims;
import dev.damask.intake.LocalReplies;
import dev.damask.intake.PausedCalls;
import dev.damask.intake.Request;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.AppliedMessage;
import dev.damask.store.AuditEntry;
import dev.damask.store.CaseMovedException;
import dev.damask.store.CommitBatch;
import dev.damask.store.StoreException;
import dev.damask.task.EffectId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// An engine as one node of a cluster: which cases it may move, and the way to those of the other
/// nodes.
///
/// A request about a case of this node goes to its shard. If the case moves away before the answer
/// is durable, the shard refuses with [CaseMovedException], and the request goes to the inbox of
/// the next owner, as every request about a case of another node does.
final class ClusterNode implements CaseOwnership, SlotOwner {
  private static final System.Logger LOG = System.getLogger(Engine.class.getName());
  private static final long PAUSE_MILLIS = 100;

  private final Engine engine;
  final SharedStore store;
  private final RemoteReads reads;
  private final CaseMessages messages;
  private final KeyClaims keys;
  private final Suspects suspects;
  final BorrowedPermits permits;
  private final Semaphore hasMessages = new Semaphore(0);
  final List<Runnable> watchers = new CopyOnWriteArrayList<>();
  private final BlockingQueue<CaseMessage> inbox = new LinkedBlockingQueue<>();
  private final PausedCalls calls;
  private final LocalReplies replies;

  // Replaced by the thread that changes ownership, read by every thread; never changed in place.
  private volatile BitSet slots = new BitSet();

  ClusterNode(Engine engine, SharedStore store) {
    this.engine = engine;
    this.store = store;
    this.keys = new KeyClaims(store);
    this.suspects = new Suspects(this, engine);
    this.permits = new BorrowedPermits(() -> engine.permits, store);
    this.reads = new RemoteReads(store, engine.programs, engine.corrupt, engine.options);
    this.messages = new CaseMessages(new Known());
    this.calls = new PausedCalls(store::mayWork);
    this.replies = new LocalReplies(this::isPaused, store.replyTime(), System::nanoTime);
    if (store.node() > 0) {
      engine.messages.onProgram(store::retryHeld);
      store.showPrograms(engine.programs::hashes);
    }
  }

  private final class Known implements CaseMessages.Knowledge {
    @Override
    public @Nullable Program program(ProgramHash hash) {
      return engine.programs.findAgain(hash);
    }

    @Override
    public @Nullable Program named(String workflow) {
      return engine.programs.named(workflow);
    }

    @Override
    public Optional<EffectId> task(String caseId, String address) {
      return reads.view(caseId).task(address).map(PendingTask::id);
    }

    @Override
    public long millis() {
      return store.millis();
    }
  }

  @Override
  public boolean owns(String caseId) {
    return slots.get(Slots.of(caseId)) && !suspects.isHeld(caseId);
  }

  @Override
  public boolean isPaused() {
    return !calls.isDropped() && !store.mayWork();
  }

  @Override
  public <T> CompletableFuture<T> ask(
      String caseId,
      Function<CompletableFuture<T>, Request> request,
      Function<Function<CompletableFuture<T>, Request>, CompletableFuture<T>> local) {
    if (!owns(caseId)) {
      return elsewhere(request);
    }
    boolean[] awaitsEnd = new boolean[1];
    CompletableFuture<T> answer =
        local.apply(reply -> {
          Request asked = request.apply(reply);
          awaitsEnd[0] = asked instanceof Request.Await;
          return asked;
        });
    if (answer.isDone() && !answer.isCompletedExceptionally()) {
      return answer;
    }
    CompletableFuture<T> routed = LocalReplies.follow(answer, () -> elsewhere(request));
    return awaitsEnd[0] ? routed : replies.add(caseId, routed);
  }

  private <T> CompletableFuture<T> elsewhere(Function<CompletableFuture<T>, Request> asked) {
    engine.requireOpen();
    CompletableFuture<T> reply = new CompletableFuture<>();
    Request request = asked.apply(reply);
    switch (request) {
      case Request.Look _, Request.Inspect _, Request.Settle _ -> reads.answer(request);
      case Request.Await await -> await(await);
      default -> send(request);
    }
    return reply;
  }

  private void await(Request.Await await) {
    String caseId = await.caseId();
    if (!reads.isThere(caseId)) {
      await.refuse(Views.unknown(caseId));
      return;
    }
    var _ =
        store
            .awaitEnd(caseId)
            .whenComplete((_, thrown) -> {
              if (thrown == null) {
                engine.listen("end of case " + caseId, () -> reads.answer(await));
              } else {
                await.refuse(sentence(thrown));
              }
            });
  }

  private void send(Request request) {
    String id = UUID.randomUUID().toString();
    CaseMessage message = AuditedReply.named(request, CaseMessages.of(request, id));
    if (message == null) {
      request.refuse(ShardRestart.moved()); // retention: each node removes its own cases
      return;
    }
    var _ =
        store
            .send(message)
            .whenComplete((reply, thrown) -> {
              if (thrown == null) {
                CaseMessages.answer(request, reply);
              } else {
                request.refuse(sentence(thrown));
              }
            });
  }

  private static RuntimeException sentence(Throwable thrown) {
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    return cause instanceof RuntimeException known
        ? known
        : new IllegalStateException("unexpected: " + cause, cause);
  }

  @Override
  public void report(EffectCall call, EffectResult result, Consumer<Request.Report> local) {
    keys.ended(call, result);
    Request.Report own = new Request.Report(call, result, new CompletableFuture<>());
    var _ =
        Objects.requireNonNull(own.reply())
            .whenComplete((_, thrown) -> {
              if (thrown instanceof CaseMovedException) {
                forward(own);
              }
            });
    if (owns(call.caseId())) {
      local.accept(own);
    } else {
      forward(own);
    }
  }

  /// The next owner runs functions again, so only effects are reported.
  private void forward(Request.Report report) {
    EffectCall call = report.call();
    engine.permits.release(
        new Permits.Owner(call.caseId(), call.id(), call.attempt()), store.millis());
    // This node does not receive the receipt; the next call with the key waits in the store for it.
    engine.effects().settled(call.caseId(), call.id(), call.type(), call.key());
    if (report.call().type().equals(Computation.TYPE)
        || report.result() instanceof EffectResult.Wants) {
      return;
    }
    String id = CaseMessage.reportId(call.id(), call.attempt());
    send(report.forwarded(), report.isJoined() ? id + "-" + UUID.randomUUID() : id);
  }

  private void send(Request.Report report, String messageId) {
    CaseMessage message = CaseMessages.of(report, messageId);
    var _ =
        store
            .send(Objects.requireNonNull(message))
            .whenComplete((_, thrown) -> {
              if (thrown instanceof StoreException) {
                LOG.log(
                    System.Logger.Level.WARNING, report.call() + ": its result is lost", thrown);
              }
            });
  }

  @Override
  public @Nullable EffectResult awaitKey(
      EffectCall call, Supplier<@Nullable EffectResult> finished) {
    return keys.await(call, finished);
  }

  @Override
  public void leave() {
    try {
      store.leaveSlots();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the slots are given away when the store is closed
    }
  }

  /// The calls are interrupted, because the next owners make them again.
  @Override
  public void stopped() {
    calls.drop();
    Effects effects = engine.effects();
    effects.openCalls().forEach(call -> effects.withdraw(call.caseId(), call.id()));
    store.giveUp();
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public boolean isCalling(String caseId, EffectId effect) {
    return engine.effects().isOpen(caseId, effect);
  }

  @Override
  public void call(Runnable start) {
    calls.call(start);
  }

  @Override
  public void familyMessages() {
    hasMessages.release();
  }

  private void watch(Runnable watcher) {
    try {
      watcher.run();
    } catch (RuntimeException e) { // the next turn tries it again
      LOG.log(System.Logger.Level.DEBUG, "the store cannot be read at the moment", e);
    }
  }

  @Override
  public void claimsExpired() {
    engine.claimsExpired.release();
  }

  @Override
  public void schedulesChanged() {
    engine.schedules().wake();
  }

  /// Answers callers that have waited too long, until the engine is closed. It reads nothing, so a
  /// database that is away does not delay it.
  void expire(CountDownLatch closed) throws InterruptedException {
    while (!closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
      replies.expire();
    }
  }

  /// Delivers the messages of parents and children whose rows other nodes have written, until the
  /// engine is closed.
  void deliverFamily(CountDownLatch closed) throws InterruptedException {
    long watchedNanos = System.nanoTime();
    hasMessages.release(); // after a failure: what was not delivered
    while (closed.getCount() > 0) {
      if (System.nanoTime() - watchedNanos >= TimeUnit.SECONDS.toNanos(1)) {
        watchedNanos = System.nanoTime();
        watchers.forEach(this::watch);
      }
      if (hasMessages.tryAcquire(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
        hasMessages.drainPermits();
        engine.messages.repeatAll();
      }
    }
  }

  @Override
  public void resumed() {
    calls.resume();
    engine.shards().forEach(shard -> shard.inbox.wake());
  }

  @Override
  public void release(BitSet given) throws InterruptedException {
    BitSet left = (BitSet) slots.clone();
    left.andNot(given);
    slots = left;
    shift(new Request.SlotChange.Released(given));
    Effects effects = engine.effects();
    engine.permits.moved(
        id -> given.get(Slots.of(id)),
        each -> effects.isOpen(each.caseId(), each.effect()),
        store.millis());
  }

  @Override
  public void suspected(Collection<String> cases) {
    suspects.hold(cases);
  }

  @Override
  public void tryOut(List<String> cases) throws InterruptedException {
    suspects.tryOut(cases);
  }

  @Override
  public void condemn(String caseId, String why) throws InterruptedException {
    suspects.condemn(caseId, why);
  }

  @Override
  public void acquired(BitSet more) throws InterruptedException {
    BitSet all = (BitSet) slots.clone();
    all.or(more);
    calls.reopen();
    slots = all;
    List<String> active = new ArrayList<>();
    store.scanActive(caseId -> {
      if (more.get(Slots.of(caseId)) && owns(caseId)) {
        active.add(caseId);
      }
    });
    shift(new Request.SlotChange.Acquired(active));
    engine.schedules().reload();
    hasMessages.release();
  }

  @Override
  public void fenced() throws InterruptedException {
    calls.drop();
    slots = new BitSet();
    suspects.clear();
    Effects effects = engine.effects();
    effects.openCalls().forEach(call -> effects.withdraw(call.caseId(), call.id()));
    shift(new Request.SlotChange.Dropped());
    engine.permits.revoke(); // first, or what is released would be granted to the next call
    engine.permits.moved(id -> !id.isEmpty(), _ -> false, store.millis());
  }

  @Override
  public void callersGone() {
    for (Shard shard : engine.shards()) {
      shard.inbox.putFirst(
          new Request.Shift(new Request.SlotChange.Recalled(), new CompletableFuture<>()));
    }
  }

  /// Changes every shard and waits until what they had in flight is durable or refused.
  void shift(Request.SlotChange change) throws InterruptedException {
    List<CompletableFuture<Boolean>> replies = new ArrayList<>();
    for (Shard shard : engine.shards()) {
      CompletableFuture<Boolean> reply = new CompletableFuture<>();
      if (shard.inbox.putFirst(new Request.Shift(change, reply))) {
        replies.add(reply);
        shard.inbox.wake(); // one that is paused waits for this only
      }
    }
    boolean isDropped = change instanceof Request.SlotChange.Dropped;
    for (CompletableFuture<Boolean> reply : replies) {
      try {
        LocalReplies.await(reply, () -> store.isFenced() && !isDropped);
      } catch (ExecutionException e) {
        // The batches before it were refused, or the engine has stopped: nothing is in flight.
        LOG.log(System.Logger.Level.DEBUG, "a shard has dropped its batches", e);
      }
    }
  }

  @Override
  public List<ForeignCall> foreignCalls() {
    return engine.effects().openCalls().stream()
        .filter(call -> !owns(call.caseId()) && !call.type().equals(Computation.TYPE))
        .map(call -> new ForeignCall(call.caseId(), call.id().lineage()))
        .toList();
  }

  @Override
  public void withdraw(List<ForeignCall> withdrawn) {
    withdrawn.forEach(
        call -> engine.effects().withdraw(call.caseId(), new EffectId(call.effect())));
  }

  @Override
  public void deliver(List<CaseMessage> delivered) {
    inbox.addAll(delivered);
  }

  /// Passes messages of the inbox on to the shards, until the engine is closed.
  void run(CountDownLatch closed) throws InterruptedException {
    while (closed.getCount() > 0) {
      CaseMessage message = inbox.poll(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      if (message != null) {
        var _ = apply(message);
      }
    }
  }

  /// Passes a message on. Returns a future that completes when it is applied or refused.
  CompletableFuture<?> apply(CaseMessage message) {
    InboxReply reply = new InboxReply(message, this::refused);
    try {
      if (suspects.park(message)) {
        return reply;
      }
      Bounds.requireMessageId(message.messageId());
      Request request = messages.request(message, reply);
      if (!engine.shard(message.caseId()).inbox.put(request)) {
        reply.completeExceptionally(ShardRestart.moved()); // the engine closes
      }
    } catch (RuntimeException e) { // also a body that another version wrote
      reply.completeExceptionally(e);
    }
    return reply;
  }

  /// A message that was not applied: it waits in the inbox, or its sender gets the reason.
  void refused(CaseMessage message, Throwable thrown) {
    switch (thrown) {
      case StoreException _ -> store.redeliver(message);
      case CaseMessages.NotYet e -> store.hold(message, String.valueOf(e.getMessage()));
      default -> {
        // If this fails, the next owner refuses the message as well.
        AppliedMessage reply = InboxReply.refused(message, thrown);
        List<AuditEntry> audit = AuditedReply.refused(message, thrown, store.millis());
        var _ = store.commit(CommitBatch.ofReplies(List.of(reply), audit));
      }
    }
  }

  /// Returns what the acknowledgements of a batch mean for the inbox.
  static List<AppliedMessage> applied(List<AfterCommit.Ack<?>> acks) {
    List<AppliedMessage> applied = List.of();
    for (AfterCommit.Ack<?> ack : acks) {
      if (ack.future() instanceof InboxReply reply) {
        applied = applied.isEmpty() ? new ArrayList<>() : applied;
        applied.add(reply.applied(ack.value().apply(ack.revision())));
      }
    }
    return applied;
  }
}

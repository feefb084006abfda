package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cluster.Slots;
import dev.damask.effect.Computation;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.event.StateView;
import dev.damask.intake.CaseMessages;
import dev.damask.intake.CaseOwnership;
import dev.damask.intake.CorruptCases;
import dev.damask.intake.InboxReply;
import dev.damask.intake.KeyClaims;
import dev.damask.intake.Request;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.AppliedMessage;
import dev.damask.store.CaseMessage;
import dev.damask.store.CaseMovedException;
import dev.damask.store.CommitBatch;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.SharedStore;
import dev.damask.store.SlotOwner;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
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
  private final BlockingQueue<CaseMessage> inbox = new LinkedBlockingQueue<>();

  // Replaced by the thread that changes ownership, read by every thread; never changed in place.
  private volatile BitSet slots = new BitSet();
  private volatile boolean isFenced; // as above

  private final List<Runnable> calls = new ArrayList<>(); // those that wait; guarded by itself

  ClusterNode(Engine engine, SharedStore store) {
    this.engine = engine;
    this.store = store;
    this.keys = new KeyClaims(store);
    this.reads = new RemoteReads(store, engine.programs, engine.corrupt, engine.options);
    this.messages = new CaseMessages(new Known());
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
    return slots.get(Slots.of(caseId));
  }

  @Override
  public boolean isPaused() {
    return !isFenced && !store.mayWork();
  }

  @Override
  public <T> CompletableFuture<T> ask(
      String caseId,
      Function<CompletableFuture<T>, Request> request,
      Function<Function<CompletableFuture<T>, Request>, CompletableFuture<T>> local) {
    if (!owns(caseId)) {
      return elsewhere(request);
    }
    CompletableFuture<T> answer = local.apply(request);
    if (answer.isDone() && !answer.isCompletedExceptionally()) {
      return answer;
    }
    CompletableFuture<T> routed = new CompletableFuture<>();
    var _ =
        answer.whenComplete((value, thrown) -> {
          if (thrown == null) {
            routed.complete(value);
          } else if (thrown instanceof CaseMovedException) {
            var _ =
                elsewhere(request)
                    .whenComplete((later, why) -> {
                      if (why == null) {
                        routed.complete(later);
                      } else {
                        routed.completeExceptionally(why);
                      }
                    });
          } else {
            routed.completeExceptionally(thrown);
          }
        });
    return routed;
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
    CaseMessage message = CaseMessages.of(request, UUID.randomUUID().toString());
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
    if (report.call().type().equals(Computation.TYPE)
        || report.result() instanceof EffectResult.Wants) {
      return;
    }
    String id = "report-" + report.call().id() + "-" + report.call().attempt();
    send(new Request.Report(report.call(), report.result(), null), id);
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
  public boolean isShared() {
    return true;
  }

  @Override
  public boolean isCalling(String caseId, EffectId effect) {
    return engine.effects().isOpen(caseId, effect);
  }

  @Override
  public void call(Runnable start) {
    synchronized (calls) {
      if (isFenced) {
        return; // the next owner calls
      }
      if (!store.mayWork()) {
        calls.add(start);
        return;
      }
    }
    start.run();
  }

  @Override
  public void resumed() {
    List<Runnable> waiting;
    synchronized (calls) {
      waiting = List.copyOf(calls);
      calls.clear();
    }
    waiting.forEach(this::call);
    engine.shards().forEach(shard -> shard.inbox.wake());
  }

  @Override
  public void release(BitSet given) throws InterruptedException {
    BitSet left = (BitSet) slots.clone();
    left.andNot(given);
    slots = left;
    shift(new Request.SlotChange.Released(given));
  }

  @Override
  public void acquired(BitSet more) throws InterruptedException {
    BitSet all = (BitSet) slots.clone();
    all.or(more);
    synchronized (calls) {
      isFenced = false;
    }
    slots = all;
    List<String> active = new ArrayList<>();
    store.scanActive(caseId -> {
      if (more.get(Slots.of(caseId))) {
        active.add(caseId);
      }
    });
    shift(new Request.SlotChange.Acquired(active));
  }

  @Override
  public void fenced() throws InterruptedException {
    synchronized (calls) {
      isFenced = true;
      calls.clear();
    }
    slots = new BitSet();
    Effects effects = engine.effects();
    effects.openCalls().forEach(call -> effects.withdraw(call.caseId(), call.id()));
    shift(new Request.SlotChange.Dropped());
  }

  @Override
  public void callersGone() {
    for (Shard shard : engine.shards()) {
      shard.inbox.putFirst(
          new Request.Shift(new Request.SlotChange.Recalled(), new CompletableFuture<>()));
    }
  }

  /// Changes every shard and waits until what they had in flight is durable or refused.
  private void shift(Request.SlotChange change) throws InterruptedException {
    List<CompletableFuture<Boolean>> replies = new ArrayList<>();
    for (Shard shard : engine.shards()) {
      CompletableFuture<Boolean> reply = new CompletableFuture<>();
      if (shard.inbox.putFirst(new Request.Shift(change, reply))) {
        replies.add(reply);
      }
    }
    for (CompletableFuture<Boolean> reply : replies) {
      try {
        reply.get();
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
        apply(message);
      }
    }
  }

  private void apply(CaseMessage message) {
    InboxReply reply = new InboxReply(message, this::refused);
    try {
      Bounds.requireMessageId(message.messageId());
      Request request = messages.request(message, reply);
      if (!engine.shard(message.caseId()).inbox.put(request)) {
        reply.completeExceptionally(ShardRestart.moved()); // the engine closes
      }
    } catch (RuntimeException e) { // also a body that another version wrote
      reply.completeExceptionally(e);
    }
  }

  /// A message that was not applied: it waits in the inbox, or its sender hears why.
  private void refused(CaseMessage message, Throwable thrown) {
    switch (thrown) {
      case StoreException _ -> store.redeliver(message);
      case CaseMessages.NotYet e -> store.hold(message, String.valueOf(e.getMessage()));
      default -> {
        // If this fails, the next owner refuses the message as well.
        AppliedMessage reply = InboxReply.refused(message, thrown);
        var _ = store.commit(CommitBatch.ofReplies(List.of(reply)));
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

  /// Reads cases of other nodes as the store has them. Reading needs no ownership.
  ///
  /// Thread-safe: one thread decodes at a time.
  private static final class RemoteReads {
    private final SharedStore store;
    private final CorruptCases corrupt;
    private final CaseCache cases; // keeps nothing

    RemoteReads(SharedStore store, Programs programs, CorruptCases corrupt, EngineOptions options) {
      this.store = store;
      this.corrupt = corrupt;
      this.cases = new CaseCache(store, programs, new Machines(options), 0);
    }

    /// Answers a request that changes nothing.
    void answer(Request request) {
      try {
        switch (request) {
          case Request.Look(var id, var reply) -> reply.complete(view(id));
          case Request.Inspect(var id, var reply) -> reply.complete(state(id));
          case Request.Settle(var id, var reply) -> reply.complete(isThere(id));
          case Request.Await(var id, var reply) -> reply.complete(result(id));
          default -> throw new IllegalStateException("not a question: " + request);
        }
      } catch (RuntimeException e) { // whatever it is, whoever asked hears of it
        request.refuse(e);
      }
    }

    /// How a case stands.
    synchronized CaseView view(String caseId) {
      try {
        Store.LoadedCase stored = stored(caseId);
        LiveCase read = cases.decoded(stored);
        return read == null ? Views.of(stored.record()) : Views.of(read, stored.record().status());
      } catch (CorruptCaseException e) {
        return Views.corrupt(caseId, corrupt.add(e));
      }
    }

    private synchronized StateView state(String caseId) {
      Store.LoadedCase stored = stored(caseId);
      LiveCase read = cases.decoded(stored);
      if (read == null) {
        throw new IllegalStateException(Views.missing(stored.record()));
      }
      return read.state.view();
    }

    boolean isThere(String caseId) {
      try {
        return store.record(caseId).isPresent();
      } catch (CorruptCaseException e) {
        corrupt.add(e);
        return true;
      }
    }

    /// The end of a case that will not move on by itself.
    private synchronized CaseResult<Context> result(String caseId) {
      try {
        Store.LoadedCase stored = stored(caseId);
        LiveCase read = cases.decoded(stored);
        return read == null
            ? stuck(CaseResult.Reason.PROGRAM_MISSING, Views.missing(stored.record()))
            : Objects.requireNonNull(read.result(), () -> "case " + caseId + " has not ended");
      } catch (CorruptCaseException e) {
        return stuck(CaseResult.Reason.CORRUPT, corrupt.add(e));
      }
    }

    private static CaseResult<Context> stuck(CaseResult.Reason reason, String why) {
      return new CaseResult.Stuck<>(new CaseResult.Report(reason, List.of(why)));
    }

    private Store.LoadedCase stored(String caseId) {
      return cases.stored(caseId).orElseThrow(() -> Views.unknown(caseId));
    }
  }
}

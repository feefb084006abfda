package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.effect.ReceiptChain;
import dev.damask.event.CancelledScope;
import dev.damask.event.Outcome;
import dev.damask.event.Status;
import dev.damask.event.TraceEvent;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.StateLog;
import dev.damask.history.CommitTime;
import dev.damask.history.InputLog;
import dev.damask.history.NextRevision;
import dev.damask.history.Submissions;
import dev.damask.history.TraceCodec;
import dev.damask.history.TraceRows;
import dev.damask.intake.CaseQueue;
import dev.damask.intake.CaseTerms;
import dev.damask.intake.EffectChanges;
import dev.damask.intake.OpenEffects;
import dev.damask.intake.PausedInputs;
import dev.damask.intake.Request;
import dev.damask.ops.IncidentRows;
import dev.damask.ops.ScopeCancelled;
import dev.damask.steps.LiveScript;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.RowChange;
import dev.damask.store.StoredState;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A case in the memory of its shard: the machine's state and what has not been committed yet.
final class LiveCase {
  /// How many full parts of a trace are kept of a case that moves without coming to rest.
  static final int TRACE_PARTS_MAX = 64;

  final String id;
  String workflow;
  final long startedMillis;
  Machine machine;
  ExecState state;

  /// Writes the state record by record; null until the first commit.
  private @Nullable StateLog log;

  /// What the store was given, and may not have yet.
  final Submissions submitted = new Submissions();

  CaseTerms terms;
  final CaseIndexing indexing = new CaseIndexing();

  /// What the store was last given; null before the first commit.
  @Nullable CaseRecord record;

  long durableRevision;
  boolean isQuarantined;

  /// Whether the cache lists it as idle, and whether it was used since.
  boolean isListed;

  boolean isUsed;
  boolean areScriptsStale; // whether runs may know of things that were undone
  ReceiptChain chain;
  final OpenEffects intents = new OpenEffects();

  /// The scripts that it waits for, by the effect of their task.
  Map<EffectId, LiveScript> scripts = Map.of();

  /// What comes in while the case moves.
  final CaseQueue queue = new CaseQueue();

  /// What is being done to it; stays when that breaks. Null while nothing is.
  Request.@Nullable Queued atWork;

  /// The answers to messages whose commit may not be durable yet.
  private Map<String, Integer> recent = Map.of();

  boolean isDirty; // since the last commit
  private @Nullable InputLog inputs; // null when there were none

  /// The sent effects that wait for a permit to be called again; null if no effect has needed one.
  @Nullable Set<EffectId> limited;

  boolean isTraceFull; // whether it is committed only because its trace takes no more
  final RowChange.Queue rows = new RowChange.Queue(); // what the next commit changes of the table
  final List<CaseCommit.Message> consumed = new ArrayList<>();
  final List<Receipt> receipts = new ArrayList<>();
  final EffectChanges effects = new EffectChanges(intents);
  final List<CaseCommit.KeyUse> keys = new ArrayList<>();
  final ArrayList<TraceEvent> trace = new ArrayList<>();
  TraceRows.@Nullable Memory traceMemory; // of the last commit; null before the first

  /// The revisions of the full parts since the case was last idle.
  private final ArrayDeque<Long> fullParts = new ArrayDeque<>(0);

  final AfterCommit telling = new AfterCommit();
  final PausedInputs paused = new PausedInputs();

  LiveCase(
      String id,
      String workflow,
      long startedMillis,
      CaseTerms terms,
      Machine machine,
      ExecState state) {
    this.id = id;
    this.workflow = workflow;
    this.startedMillis = startedMillis;
    this.terms = terms;
    this.machine = machine;
    this.state = state;
    this.chain = ReceiptChain.EMPTY;
  }

  long revision() {
    return record == null ? 0 : record.revision();
  }

  /// Whether the case has nothing to do by itself.
  boolean isAtRest() {
    return isQuarantined || isPaused() || state.isDone() || state.isBlocked();
  }

  boolean isPaused() {
    return terms.isPaused();
  }

  /// Whether nothing would be lost if it left memory.
  boolean isEvictable() {
    return queue.isEmpty() && isAtRest() && !intents.anySent() && isDurable();
  }

  /// Whether nothing would be lost if it were frozen: nor would a commit or an answer be.
  boolean isFreezable() {
    boolean isIdle = telling.isSilent() && atWork == null && scripts.isEmpty();
    return isEvictable() && !state.isDone() && isIdle && terms.pause() == null;
  }

  /// Null before the first commit.
  @Nullable StateLog log() {
    return log;
  }

  /// Whether the store has all of it.
  boolean isDurable() {
    return !isDirty && record != null && durableRevision == record.revision();
  }

  /// Whether an intent was never written to the store.
  boolean isFresh(EffectIntent intent) {
    return effects.isFresh(intent);
  }

  void plan(EffectIntent intent) {
    effects.plan(intent);
    isDirty = true;
  }

  /// Notes that the function of a task runs outside. The store is not notified: the state of the
  /// case shows that it waits.
  void compute(EffectIntent intent) {
    effects.compute(intent);
  }

  void drop(EffectIntent intent) {
    effects.drop(intent);
    isDirty |= !OpenEffects.isComputation(intent);
  }

  /// Whether an attempt of an effect has failed and the next one has not begun.
  boolean isBetweenAttempts(EffectIntent intent) {
    return state.pendingEffects().stream()
        .anyMatch(each -> each.id().equals(intent.id()) && each.notBefore().isPresent());
  }

  /// A computation has no receipts.
  void receipt(EffectIntent intent, long atMillis, Receipt.Result result) {
    if (OpenEffects.isComputation(intent)) {
      return;
    }
    receipt(intent.receipt(result, atMillis));
  }

  void receipt(Receipt.Body body) {
    Receipt receipt = chain.next(body);
    chain = chain.with(receipt);
    receipts.add(receipt);
    isDirty = true;
  }

  /// Notes the listeners to notify of scopes that were cancelled.
  void noteCancelled(EngineOptions options) {
    for (CancelledScope scope : state.takeCancelled()) {
      ScopeCancelled event = new ScopeCancelled(id, scope.name());
      options
          .cancelListeners(scope)
          .forEach(
              listener -> telling.cancelled.add(new AfterCommit.Notification(event, listener)));
    }
  }

  CaseStatus status() {
    if (isQuarantined) {
      return CaseStatus.QUARANTINED;
    }
    if (isPaused() && !state.isDone()) {
      return CaseStatus.PAUSED;
    }
    return switch (state.status()) {
      case RUNNING -> CaseStatus.RUNNING;
      case WAITING ->
          // A case with a function at work moves by itself: the next engine takes it up.
          intents.anyComputation() ? CaseStatus.RUNNING : CaseStatus.WAITING;
      case DEADLOCKED -> CaseStatus.DEADLOCKED;
      case COMPLETED -> CaseStatus.COMPLETED;
      case CANCELLED -> CaseStatus.CANCELLED;
      case FAILED -> CaseStatus.FAILED;
    };
  }

  /// When something happens by itself; [CaseRecord#NEVER] when nothing does.
  long nextDue() {
    return state.isDone() || isPaused()
        ? CaseRecord.NEVER
        : Math.min(state.nextDue().orElse(CaseRecord.NEVER), engineDue());
  }

  /// The same for what the machine knows nothing of: the deadline, decisions, sleeps.
  long engineDue() {
    return Math.min(terms.deadlineMillis(), intents.firstDue());
  }

  /// Whether a commit must not wait until the case is idle.
  boolean hasNews() {
    return !telling.isSilent() || !rows.isEmpty();
  }

  List<RowChange> takeRows() {
    List<RowChange> taken = List.copyOf(rows);
    rows.clear();
    return taken;
  }

  /// The next revision, with everything since the last one. It ends what may have been wrong with
  /// the case before.
  CaseCommit commit(CommitTime at) {
    if (terms.crashes() > 0) {
      terms = terms.withCrashes(0);
    }
    return isQuarantined && record != null
        ? commit(at, CaseRecord.NEVER, record.evidence(), false)
        : commit(at, nextDue(), "", false);
  }

  /// As above, with a base if one is asked for.
  CaseCommit commit(CommitTime at, long due, String evidence, boolean isWhole) {
    StateLog.Change written = nextRecord(isWhole);
    NextRevision revision =
        NextRevision.of(
            new NextRevision.Present(
                key(), record, Objects.requireNonNull(log), written, submitted),
            at,
            inputs,
            receipts);
    CaseRecord next =
        new CaseRecord(
            id,
            revision() + 1,
            at.epoch(),
            status(),
            workflow,
            startedMillis,
            Math.max(at.millis(), startedMillis),
            due,
            chain,
            terms.encode(),
            evidence,
            revision.head(),
            indexing.of(this));
    CaseCommit commit =
        new CaseCommit(
            next,
            revision.change(),
            consumed,
            receipts,
            effects.added(),
            effects.removed(),
            keys,
            revision.journal(),
            TraceCodec.encode(next.changedMillis(), trace),
            isTraceFull ? dropped(next.revision()) : 0,
            next.hasOtherFacts(record));
    if (isAtRest()) {
      fullParts.clear();
    }
    isTraceFull = false;
    // Nothing below throws: a commit that cannot be built was never submitted.
    submitted.add(next.revision(), revision);
    ShardPermits.releaseEnded(this, effects.replaced());
    var subject = new IncidentRows.Subject(id, workflow);
    effects.addRows(rows, subject, at.trimming().table(), at.millis());
    record = next;
    forget();
    return commit;
  }

  private StateLog.CaseKey key() {
    return new StateLog.CaseKey(id, startedMillis);
  }

  /// What was applied since the last commit.
  InputLog inputs() {
    inputs = inputs == null ? new InputLog() : inputs;
    return inputs;
  }

  /// What is stored of the state next: a base when one is due or asked for, or when the state has
  /// taken the place of another one.
  private StateLog.Change nextRecord(boolean isWhole) {
    StateLog own = log;
    if (own == null) {
      own = StateLog.of(state, key());
    } else if (own.state() != state) {
      own = StateLog.after(own, state, key());
    }
    log = own;
    boolean isBase = isWhole || own.needsBase();
    own.refer(effects.values(isBase));
    StateLog.Change change = isBase ? own.base() : own.delta();
    long bytes = Math.max(own.weight(), change.bytes().length);
    if (bytes > Bounds.STATE_BYTES) {
      throw new IllegalStateException(
          "the state of case %s has about %d bytes, at most %d can be stored"
              .formatted(id, bytes, Bounds.STATE_BYTES));
    }
    return change;
  }

  /// Notes the answer to a message that the next commit consumes.
  void answered(String messageId, int answer) {
    consumed.add(new CaseCommit.Message(messageId, answer));
    recent = recent.isEmpty() ? new HashMap<>() : recent;
    recent.put(messageId, answer);
  }

  /// The answer to a message whose commit may not be durable yet; null if there is none.
  @Nullable Integer answer(String messageId) {
    return recent.get(messageId);
  }

  /// The store has everything up to a revision.
  void durable(long revision) {
    durableRevision = revision;
    if (revision == revision()) {
      recent = Map.of();
      paused.durable(isDirty);
    }
    submitted.durable(revision);
  }

  /// The state as it was submitted last.
  ///
  /// @param stored what the store has, which may be older; null when it has nothing
  CaseRecord lastSubmitted(@Nullable CaseRecord stored) {
    CaseRecord last = Objects.requireNonNull(record);
    if (!(last.state() instanceof StoredState.Head head)) {
      return last;
    }
    StoredState.Chain known = stored == null ? StoredState.Chain.NONE : stored.chain();
    StoredState.Chain chain = submitted.after(known);
    return last.withState(head.with(() -> chain));
  }

  /// Takes the log that a state was read with.
  void opened(StateLog read) {
    log = read;
    state = read.state();
  }

  /// The revision whose part of the trace goes, because there are enough newer ones; 0 for none.
  private long dropped(long revision) {
    fullParts.addLast(revision);
    return fullParts.size() > TRACE_PARTS_MAX ? fullParts.removeFirst() : 0;
  }

  /// Takes back what was done to its effects and messages since the last commit. The store may be
  /// behind that commit, so it cannot be asked.
  private void takeBack(boolean keepsFunctions) {
    if (!recent.isEmpty()) {
      consumed.forEach(message -> recent.remove(message.id()));
    }
    effects.takeBack(keepsFunctions);
  }

  /// What it publishes leaves with its batch.
  void published() {
    telling.clear();
    effects.published();
  }

  /// Drops what has not been committed.
  void forget() {
    consumed.clear();
    receipts.clear();
    effects.clear();
    keys.clear();
    trace.clear();
    inputs = null;
    isDirty = false;
  }

  /// Becomes what was committed last. The functions that run outside run again when it is resumed.
  ///
  /// @param committed made of its last record
  void restore(LiveCase committed) {
    become(committed, false);
  }

  /// Becomes what was committed last and continues from there. Calls and functions in flight stay.
  ///
  /// @param committed made of its last record
  void undo(LiveCase committed) {
    queue.clear();
    telling.clear();
    atWork = null;
    isQuarantined = committed.isQuarantined;
    become(committed, true);
  }

  private void become(LiveCase committed, boolean keepsFunctions) {
    takeBack(keepsFunctions);
    forget();
    areScriptsStale = !scripts.isEmpty();
    rows.clear();
    workflow = committed.workflow;
    machine = committed.machine;
    state = committed.state;
    log = committed.log;
    terms = committed.terms;
    chain = committed.chain;
  }

  /// How it ended or why it cannot; null when it may still move.
  @Nullable CaseResult<Context> result() {
    if (isQuarantined) {
      String evidence = record == null ? "" : record.evidence();
      return stuck(CaseResult.Reason.QUARANTINED, List.of(evidence));
    }
    if (state.status() == Status.WAITING || isPaused()) {
      return null;
    }
    return switch (machine.outcome(state)) {
      case Outcome.Done(var context) -> new CaseResult.Completed<>(context);
      case Outcome.Failed(var failure) -> new CaseResult.Failed<>(failure);
      case Outcome.Cancelled cancelled -> CaseResult.Cancelled.of(cancelled);
      case Outcome.Deadlocked(var report) -> stuck(CaseResult.Reason.DEADLOCKED, report);
      case Outcome.Yielded _, Outcome.Waits _ -> null;
    };
  }

  private static CaseResult<Context> stuck(CaseResult.Reason reason, List<String> lines) {
    return new CaseResult.Stuck<>(new CaseResult.Report(reason, lines));
  }

  /// Returns the refusal of all callers that wait for this case now.
  Runnable refusal(RuntimeException sentence) {
    List<CompletableFuture<?>> answers = telling.futures();
    List<Request.Queued> requests = queue.list();
    if (atWork != null) {
      requests.add(atWork);
      atWork = null;
    }
    return () -> {
      answers.forEach(future -> future.completeExceptionally(sentence));
      requests.forEach(request -> request.refuse(sentence));
    };
  }

  /// Fails a task before its effect is sent, as soon as the case is idle.
  void giveUp(EffectIntent intent, String reason, String sentence) {
    queue.addFirst(
        new Request.GiveUp(id, intent.id(), reason, new Receipt.Result.Refused(sentence)));
  }
}

package dev.damask.cases;

import dev.damask.caller.CaseOptions;
import dev.damask.clock.EngineClock;
import dev.damask.effect.Approval;
import dev.damask.effect.BuiltInEffects;
import dev.damask.effect.Computation;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectLimit;
import dev.damask.effect.TransactionScope;
import dev.damask.event.CancelledScope;
import dev.damask.event.Scheduler;
import dev.damask.exec.Machine;
import dev.damask.history.CaseObserver;
import dev.damask.history.HistoryPolicy;
import dev.damask.history.JournalMode;
import dev.damask.history.TraceRows;
import dev.damask.ops.CaseEvent;
import dev.damask.ops.ScopeCancelled;
import dev.damask.ops.SlowMove;
import dev.damask.ops.SourceReader;
import dev.damask.trace.TraceLevel;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// How an engine runs. Start from [#defaults()] and change what matters with the `with` methods;
/// each returns a new set and leaves the old one unchanged.
public final class EngineOptions implements Cloneable {
  private static final int SHARDS_MAX = 256;
  private static final int MILLION = 1_000_000;

  private int shards;
  private int quantum;
  private int inboxMax;
  private boolean refuseWhenFull;
  private int residentMax;
  private int caseQueueMax;
  private int openCallsMax;
  private int crashesMax;
  private Duration grace;
  private Duration retention;
  private HistoryPolicy history;
  private JournalMode journal;
  private Map<String, EffectHandler> handlers;
  private Map<String, Integer> callsMax;
  private Map<String, Approval> approvals;
  Map<String, EffectLimit> limits; // by effect type
  TransactionScope transactions;
  private int callsMaxOther;
  private int slowTasksMax;
  private Map<String, Consumer<ScopeCancelled>> cancelListeners;
  private Map<String, Consumer<ScopeCancelled>> namedListeners;
  private Map<String, Duration> timeLimits;
  private Optional<Duration> timeLimitOther;
  private Duration moveBudget;
  private Consumer<SlowMove> slowMoves;
  private UnaryOperator<String> secrets;
  private SourceReader sources;
  private TraceLevel traceLevel;
  private int traceEventsMax;
  private Consumer<CaseEvent> listener;
  private EngineClock clock;
  private CaseObserver watch;
  TraceRows traceRows;
  Function<String, Optional<Scheduler>> schedulers;
  boolean isOwnerServed = true;

  private EngineOptions() {
    shards = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 4);
    quantum = Machine.QUANTUM;
    inboxMax = 4_096;
    residentMax = 10_000;
    caseQueueMax = 1_000;
    openCallsMax = 100_000;
    crashesMax = 3;
    grace = Duration.ofSeconds(5);
    retention = Duration.ZERO;
    history = HistoryPolicy.ALL;
    journal = JournalMode.INPUTS;
    handlers = BuiltInEffects.all();
    callsMax = Map.of();
    approvals = Map.of();
    limits = Map.of();
    transactions = TransactionScope.NONE;
    callsMaxOther = 1_000;
    slowTasksMax = 64;
    cancelListeners = Map.of();
    namedListeners = Map.of();
    timeLimits = Map.of();
    timeLimitOther = Optional.empty();
    moveBudget = Duration.ofMillis(100);
    slowMoves = _ -> {};
    secrets = EngineOptions::noSecret;
    sources = SourceReader.NONE;
    traceLevel = TraceLevel.MIN;
    traceEventsMax = 4_096;
    listener = _ -> {};
    clock = EngineClock.system();
    watch = CaseObserver.NONE;
    traceRows = TraceRows.NONE;
    schedulers = _ -> Optional.empty();
  }

  /// Sets an observer of every move of every case. The threads of the shards call it, so it must be
  /// quick.
  public EngineOptions withWatch(CaseObserver own) {
    return with(o -> o.watch = own);
  }

  /// Sets what writes rows of the store's table with the traces of cases.
  public EngineOptions withTraceRows(TraceRows own) {
    return with(o -> o.traceRows = own);
  }

  /// Sets the function that returns, by case id, the scheduler of a case's choices. It is called
  /// whenever the case is loaded. Without one, the seed of the case decides
  /// ([CaseOptions#withSeed]), and without a seed the first option is taken.
  public EngineOptions withSchedulers(Function<String, Optional<Scheduler>> value) {
    return with(o -> o.schedulers = value);
  }

  CaseObserver watch() {
    return watch;
  }

  /// Returns the default options; the clock starts now.
  public static EngineOptions defaults() {
    return new EngineOptions();
  }

  private static String noSecret(String name) {
    throw new IllegalStateException(
        "no secret '%s' is known; name it with EngineOptions.withSecrets or --secret %s"
            .formatted(name, name));
  }

  private EngineOptions with(Consumer<EngineOptions> change) {
    try {
      EngineOptions changed = (EngineOptions) clone();
      change.accept(changed);
      return changed;
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("options can be copied", e);
    }
  }

  private static <T> Map<String, T> plus(Map<String, T> map, String key, T value) {
    Map<String, T> all = new TreeMap<>(map);
    all.put(key, value);
    return Collections.unmodifiableMap(all);
  }

  /// Sets how many threads own cases. Default: half as many as there are processors, at most four;
  /// the others are for callers, handlers and the store.
  public EngineOptions withShards(int value) {
    return with(o -> o.shards = Bounds.require("shards", value, SHARDS_MAX));
  }

  /// Sets how many steps a case takes before another case gets its turn.
  public EngineOptions withQuantum(int value) {
    return with(o -> o.quantum = Bounds.require("quantum", value, MILLION));
  }

  /// Sets how many inputs may wait in one shard, and whether a full inbox refuses the caller
  /// instead of blocking it.
  public EngineOptions withInbox(int max, boolean refuses) {
    return with(o -> {
      o.inboxMax = Bounds.require("inboxMax", max, MILLION);
      o.refuseWhenFull = refuses;
    });
  }

  /// Sets how many waiting cases stay in the memory of one shard.
  public EngineOptions withResidentMax(int value) {
    return with(o -> o.residentMax = Bounds.require("residentMax", value, 10 * MILLION));
  }

  /// Sets how many inputs may wait for one case that still moves; more are refused.
  public EngineOptions withCaseQueueMax(int value) {
    return with(o -> o.caseQueueMax = Bounds.require("caseQueueMax", value, MILLION));
  }

  /// Sets how many effects may run or wait for their turn before new cases have to wait.
  public EngineOptions withOpenCallsMax(int value) {
    return with(o -> o.openCallsMax = Bounds.require("openCallsMax", value, 10 * MILLION));
  }

  /// Sets how often the process may die while it moves a case before the case is quarantined.
  public EngineOptions withCrashesMax(int value) {
    return with(o -> o.crashesMax = Bounds.require("crashesMax", value, 1_000));
  }

  /// Sets how long [Engine#close] waits for running handlers before it interrupts them; five
  /// seconds by default. It returns earlier when all have returned.
  public EngineOptions withGrace(Duration value) {
    return with(o -> o.grace = Bounds.require("grace", value));
  }

  /// Sets how long a case is kept after it has ended; zero keeps it forever. A case that has not
  /// ended is never removed.
  public EngineOptions withRetention(Duration value) {
    return with(o -> o.retention = Bounds.require("retention", value));
  }

  /// Sets which revisions of a case are kept; [HistoryPolicy#ALL] by default.
  public EngineOptions withHistory(HistoryPolicy value) {
    return with(o -> o.history = value);
  }

  /// Sets what is kept of the inputs of a case: [JournalMode#INPUTS] by default.
  public EngineOptions withJournal(JournalMode value) {
    return with(o -> o.journal = value);
  }

  /// Registers a handler by effect type. `log` and `sleep` are registered by default.
  public EngineOptions withHandler(String type, EffectHandler handler) {
    return with(o -> o.handlers = plus(handlers, type, handler));
  }

  /// Registers a handler by effect type whose calls compute for long without waiting. They run on
  /// platform threads.
  public EngineOptions withCpuBoundHandler(String type, EffectHandler handler) {
    return withHandler(type, EffectHandler.cpuBound(handler));
  }

  /// Replaces all handlers, including the built-in ones.
  public EngineOptions withHandlers(Map<String, EffectHandler> all) {
    return with(o -> o.handlers = Collections.unmodifiableMap(new TreeMap<>(all)));
  }

  /// Sets how many calls of one type may be in flight.
  public EngineOptions withCallsMax(String type, int max) {
    return with(o ->
        o.callsMax = plus(callsMax, type, Bounds.require("callsMax of " + type, max, MILLION)));
  }

  /// Sets how many calls of each other type may be in flight.
  public EngineOptions withCallsMax(int max) {
    return with(o -> o.callsMaxOther = Bounds.require("callsMax", max, MILLION));
  }

  /// Limits the calls of an effect type; those that must wait are stored and wait without a thread.
  public EngineOptions withLimit(String type, EffectLimit limit) {
    return with(o -> o.limits = plus(limits, type, limit));
  }

  /// Sets what surrounds handlers that work in a transaction of the store.
  public EngineOptions withTransactions(TransactionScope value) {
    return with(o -> o.transactions = value);
  }

  /// Sets how long one call of an effect type may take. A longer call fails its attempt with
  /// `timeout`, or with `unknown_outcome` if it is sent at most once, and its handler is
  /// interrupted. It is an upper bound: a task may have a shorter timeout.
  public EngineOptions withTimeLimit(String type, Duration value) {
    return with(o -> o.timeLimits = plus(timeLimits, type, Bounds.positive("time limit", value)));
  }

  /// Sets how long one call of every other effect type may take; no limit by default.
  public EngineOptions withTimeLimit(Duration value) {
    return with(o -> o.timeLimitOther = Optional.of(Bounds.positive("time limit", value)));
  }

  /// Notifies a listener when an activation of the scope, or set of instances, of this name is
  /// cancelled: by a caller, by the workflow, by its timeout, or with a scope around it. It is
  /// called after the commit, on a thread of the engine, at most once per activation: a
  /// notification is lost if the process stops between the commit and the call. What must happen
  /// belongs into an undo or a catch.
  public EngineOptions withCancelListener(String scope, Consumer<ScopeCancelled> value) {
    return with(o -> o.cancelListeners = plus(cancelListeners, scope, value));
  }

  /// Registers the listener that scopes name with `notify: NAME`, in Java
  /// [dev.damask.term.ScopeOptions#notifying]. It is called as described at [#withCancelListener].
  /// The engine logs names without a listener; see [Engine#unknownListeners].
  public EngineOptions withNamedListener(String name, Consumer<ScopeCancelled> value) {
    return with(o -> o.namedListeners = plus(namedListeners, name, value));
  }

  /// Sets how many slow task functions may run at once, each on a separate platform thread; 64 by
  /// default. More wait for their turn.
  public EngineOptions withSlowTasksMax(int value) {
    return with(o -> o.slowTasksMax = Bounds.require("slowTasksMax", value, 10_000));
  }

  /// Sets how long a case may keep the thread of its shard in one go; 100 ms by default. A longer
  /// move is not stopped. It is logged, counted and reported while it lasts: see [#withSlowMoves].
  /// While no task has been called yet, a move may take ten times as long.
  public EngineOptions withMoveBudget(Duration value) {
    return with(o -> o.moveBudget = Bounds.positive("moveBudget", value));
  }

  /// Receives every move that takes longer than the budget, while it still lasts. It is called on a
  /// thread of the engine, once per move.
  public EngineOptions withSlowMoves(Consumer<SlowMove> value) {
    return with(o -> o.slowMoves = value);
  }

  /// Requires an approval for effects of a type: they are sent only after an approver has accepted
  /// them.
  public EngineOptions withApproval(String type, Approval approval) {
    return with(o -> o.approvals = plus(approvals, type, approval));
  }

  /// Sets the function that resolves a secret by its name, at the call.
  public EngineOptions withSecrets(UnaryOperator<String> value) {
    return with(o -> o.secrets = value);
  }

  /// Sets the reader of the documents that the store keeps with their programs.
  public EngineOptions withSources(SourceReader value) {
    return with(o -> o.sources = value);
  }

  /// Sets the trace level of cases that are started without one. A case keeps the level it was
  /// started with. Default: min.
  public EngineOptions withTrace(TraceLevel value) {
    return with(o -> o.traceLevel = value);
  }

  /// Sets how many trace events of one case may wait in memory for a commit. A case that reaches
  /// the bound is committed while it moves; of one that never rests the newest events are kept.
  public EngineOptions withTraceEventsMax(int value) {
    return with(o -> o.traceEventsMax = Bounds.require("traceEventsMax", value, MILLION));
  }

  /// Sets the receiver of every durable change. It runs in the shard and must be quick.
  public EngineOptions withListener(Consumer<CaseEvent> value) {
    return with(o -> o.listener = value);
  }

  /// Sets whether an engine on a directory serves the commands of the directory's owner, if
  /// `damask-server` is on the path; by default it does. See [OwnerService].
  public EngineOptions withOwnerService(boolean value) {
    return with(o -> o.isOwnerServed = value);
  }

  /// Sets the clock that timers are compared with. Default: [EngineClock#system()].
  public EngineOptions withClock(EngineClock value) {
    return with(o -> o.clock = value);
  }

  /// Returns how many threads own cases.
  public int shards() {
    return shards;
  }

  /// Returns how many steps a case takes before another case gets its turn.
  public int quantum() {
    return quantum;
  }

  /// Returns how many inputs may wait in one shard.
  public int inboxMax() {
    return inboxMax;
  }

  /// Returns whether a full inbox refuses the caller instead of blocking it.
  public boolean refuseWhenFull() {
    return refuseWhenFull;
  }

  /// Returns how many waiting cases stay in the memory of one shard.
  public int residentMax() {
    return residentMax;
  }

  /// Returns how many inputs may wait for one running case.
  public int caseQueueMax() {
    return caseQueueMax;
  }

  /// Returns how many effects may run or wait before new cases have to wait.
  public int openCallsMax() {
    return openCallsMax;
  }

  /// Returns how often the process may die while it moves a case before the case is quarantined.
  public int crashesMax() {
    return crashesMax;
  }

  /// Returns how long [Engine#close] waits for running handlers.
  public Duration grace() {
    return grace;
  }

  /// Returns how long an ended case is kept; zero keeps it forever.
  public Duration retention() {
    return retention;
  }

  /// Returns which revisions of a case are kept.
  public HistoryPolicy history() {
    return history;
  }

  /// Returns what is kept of the inputs of a case.
  public JournalMode journal() {
    return journal;
  }

  /// Returns the registered handlers by effect type.
  public Map<String, EffectHandler> handlers() {
    return handlers;
  }

  /// How many calls of a type may be in flight.
  public int callsMax(String type) {
    return type.equals(Computation.TYPE)
        ? slowTasksMax
        : Math.min(callsMax.getOrDefault(type, callsMaxOther), EffectLimit.atOnce(limits, type));
  }

  /// How long one call of a type may take; empty when there is no limit.
  public Optional<Duration> timeLimit(String type) {
    return Optional.ofNullable(timeLimits.get(type)).or(() -> timeLimitOther);
  }

  /// Returns the listeners by the name of a scope or set of instances.
  public Map<String, Consumer<ScopeCancelled>> cancelListeners() {
    return cancelListeners;
  }

  /// Returns the listeners by the names that scopes use.
  public Map<String, Consumer<ScopeCancelled>> namedListeners() {
    return namedListeners;
  }

  /// Those to notify of a cancellation: by the name of the scope, and the one that it names.
  List<Consumer<ScopeCancelled>> cancelListeners(CancelledScope scope) {
    if (cancelListeners.isEmpty() && scope.listener() == null) {
      return List.of();
    }
    Consumer<ScopeCancelled> named =
        scope.listener() == null ? null : namedListeners.get(scope.listener());
    return Stream.of(
            Optional.ofNullable(cancelListeners.get(scope.name())), Optional.ofNullable(named))
        .flatMap(Optional::stream)
        .toList();
  }

  /// Returns how long a case may keep the thread of its shard before its move counts as slow.
  public Duration moveBudget() {
    return moveBudget;
  }

  /// Returns the receiver of slow moves.
  public Consumer<SlowMove> slowMoves() {
    return slowMoves;
  }

  /// Returns how many slow task functions may run at once.
  public int slowTasksMax() {
    return slowTasksMax;
  }

  /// Returns the approval that effects of a type require.
  public Optional<Approval> approval(String type) {
    return Optional.ofNullable(approvals.get(type));
  }

  /// Returns the function that resolves secrets by name.
  public UnaryOperator<String> secrets() {
    return secrets;
  }

  /// Returns the reader of the documents that the store keeps with their programs.
  public SourceReader sources() {
    return sources;
  }

  /// Returns the trace level of cases that are started without one.
  public TraceLevel traceLevel() {
    return traceLevel;
  }

  /// Returns how many trace events of one case may wait in memory for a commit.
  public int traceEventsMax() {
    return traceEventsMax;
  }

  /// Returns the receiver of durable changes.
  public Consumer<CaseEvent> listener() {
    return listener;
  }

  /// Returns the clock that timers are compared with.
  public EngineClock clock() {
    return clock;
  }
}

package dev.damask.cases;

import dev.damask.effect.Approval;
import dev.damask.effect.BuiltInEffects;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.HttpOptions;
import dev.damask.exec.Machine;
import dev.damask.trace.TraceLevel;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// How an engine runs. Start from [#defaults()] and change what matters with the `with` methods;
/// each gives a new set and leaves the old one as it is.
public final class EngineOptions {
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
  private Map<String, EffectHandler> handlers;
  private Map<String, Integer> callsMax;
  private Map<String, Approval> approvals;
  private int callsMaxOther;
  private UnaryOperator<String> secrets;
  private SourceReader sources;
  private TraceLevel traceLevel;
  private Consumer<CaseEvent> listener;
  private EngineClock clock;
  private MoveWatch watch;

  private EngineOptions() {
    shards = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 4);
    quantum = Machine.QUANTUM;
    inboxMax = 4_096;
    residentMax = 10_000;
    caseQueueMax = 1_000;
    openCallsMax = 100_000;
    crashesMax = 3;
    grace = Duration.ofSeconds(1);
    retention = Duration.ZERO;
    handlers = BuiltInEffects.all(HttpOptions.CLOSED);
    callsMax = Map.of();
    approvals = Map.of();
    callsMaxOther = 1_000;
    secrets = EngineOptions::fromEnvironment;
    sources = SourceReader.NONE;
    traceLevel = TraceLevel.NONE;
    listener = _ -> {};
    clock = EngineClock.system();
    watch = MoveWatch.NOBODY;
  }

  private EngineOptions(EngineOptions other) {
    shards = other.shards;
    quantum = other.quantum;
    inboxMax = other.inboxMax;
    refuseWhenFull = other.refuseWhenFull;
    residentMax = other.residentMax;
    caseQueueMax = other.caseQueueMax;
    openCallsMax = other.openCallsMax;
    crashesMax = other.crashesMax;
    grace = other.grace;
    retention = other.retention;
    handlers = other.handlers;
    callsMax = other.callsMax;
    approvals = other.approvals;
    callsMaxOther = other.callsMaxOther;
    secrets = other.secrets;
    sources = other.sources;
    traceLevel = other.traceLevel;
    listener = other.listener;
    clock = other.clock;
    watch = other.watch;
  }

  /// With somebody who sees every move of every case; it is called by the threads of the shards and
  /// must be quick.
  public EngineOptions withWatch(MoveWatch own) {
    return with(o -> o.watch = own);
  }

  MoveWatch watch() {
    return watch;
  }

  /// A fresh set of defaults; the clock starts now.
  public static EngineOptions defaults() {
    return new EngineOptions();
  }

  private static String fromEnvironment(String name) {
    String secret = System.getenv(name);
    if (secret == null) {
      throw new IllegalStateException("the environment has no secret " + name);
    }
    return secret;
  }

  private EngineOptions with(Consumer<EngineOptions> change) {
    EngineOptions changed = new EngineOptions(this);
    change.accept(changed);
    return changed;
  }

  private static int require(String name, int value, int max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(name + " is from 1 to " + max + ", got " + value);
    }
    return value;
  }

  private static Duration require(String name, Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException(name + " is not negative, got " + value);
    }
    return value;
  }

  private static <T> Map<String, T> plus(Map<String, T> map, String key, T value) {
    Map<String, T> all = new TreeMap<>(map);
    all.put(key, value);
    return Collections.unmodifiableMap(all);
  }

  /// How many threads own cases. Half as many as there are processors, and at most four, unless
  /// said here: the others are for callers, handlers and the store.
  public EngineOptions withShards(int value) {
    return with(o -> o.shards = require("shards", value, SHARDS_MAX));
  }

  /// How many steps a case takes before another one gets its turn.
  public EngineOptions withQuantum(int value) {
    return with(o -> o.quantum = require("quantum", value, MILLION));
  }

  /// How many inputs may wait in one shard, and whether a full inbox refuses the caller instead of
  /// making it wait.
  public EngineOptions withInbox(int max, boolean refuses) {
    return with(o -> {
      o.inboxMax = require("inboxMax", max, MILLION);
      o.refuseWhenFull = refuses;
    });
  }

  /// How many waiting cases stay in the memory of one shard.
  public EngineOptions withResidentMax(int value) {
    return with(o -> o.residentMax = require("residentMax", value, 10 * MILLION));
  }

  /// How many inputs may wait for one case that still moves; more are refused.
  public EngineOptions withCaseQueueMax(int value) {
    return with(o -> o.caseQueueMax = require("caseQueueMax", value, MILLION));
  }

  /// How many effects may run or wait for their turn before new cases have to wait.
  public EngineOptions withOpenCallsMax(int value) {
    return with(o -> o.openCallsMax = require("openCallsMax", value, 10 * MILLION));
  }

  /// How often the process may die while it moves a case before the case is put aside.
  public EngineOptions withCrashesMax(int value) {
    return with(o -> o.crashesMax = require("crashesMax", value, 1_000));
  }

  /// How long running effects may go on when the engine closes.
  public EngineOptions withGrace(Duration value) {
    return with(o -> o.grace = require("grace", value));
  }

  /// How long a case is kept after it has ended; zero keeps it for ever. A case that has not ended
  /// is never removed.
  public EngineOptions withRetention(Duration value) {
    return with(o -> o.retention = require("retention", value));
  }

  /// One more handler, by effect type. The built-in ones are there, `http` without a host to call.
  public EngineOptions withHandler(String type, EffectHandler handler) {
    return with(o -> o.handlers = plus(handlers, type, handler));
  }

  /// These handlers and no others, not even the built-in ones.
  public EngineOptions withHandlers(Map<String, EffectHandler> all) {
    return with(o -> o.handlers = Collections.unmodifiableMap(new TreeMap<>(all)));
  }

  /// How many calls of one type may be in flight.
  public EngineOptions withCallsMax(String type, int max) {
    return with(
        o -> o.callsMax = plus(callsMax, type, require("callsMax of " + type, max, MILLION)));
  }

  /// How many calls of each other type may be in flight.
  public EngineOptions withCallsMax(int max) {
    return with(o -> o.callsMaxOther = require("callsMax", max, MILLION));
  }

  /// Effects of a type are sent only after somebody has approved them.
  public EngineOptions withApproval(String type, Approval approval) {
    return with(o -> o.approvals = plus(approvals, type, approval));
  }

  /// Gives a secret by its name, at the call.
  public EngineOptions withSecrets(UnaryOperator<String> value) {
    return with(o -> o.secrets = value);
  }

  /// Reads the documents that the store keeps beside their programs.
  public EngineOptions withSources(SourceReader value) {
    return with(o -> o.sources = value);
  }

  public EngineOptions withTrace(TraceLevel value) {
    return with(o -> o.traceLevel = value);
  }

  /// Hears of every durable change; it runs in the shard and must be quick.
  public EngineOptions withListener(Consumer<CaseEvent> value) {
    return with(o -> o.listener = value);
  }

  public EngineOptions withClock(EngineClock value) {
    return with(o -> o.clock = value);
  }

  public int shards() {
    return shards;
  }

  public int quantum() {
    return quantum;
  }

  public int inboxMax() {
    return inboxMax;
  }

  public boolean refuseWhenFull() {
    return refuseWhenFull;
  }

  public int residentMax() {
    return residentMax;
  }

  public int caseQueueMax() {
    return caseQueueMax;
  }

  public int openCallsMax() {
    return openCallsMax;
  }

  public int crashesMax() {
    return crashesMax;
  }

  public Duration grace() {
    return grace;
  }

  public Duration retention() {
    return retention;
  }

  public Map<String, EffectHandler> handlers() {
    return handlers;
  }

  /// How many calls of a type may be in flight.
  public int callsMax(String type) {
    return callsMax.getOrDefault(type, callsMaxOther);
  }

  /// Who has to approve effects of a type.
  public Optional<Approval> approval(String type) {
    return Optional.ofNullable(approvals.get(type));
  }

  public UnaryOperator<String> secrets() {
    return secrets;
  }

  public SourceReader sources() {
    return sources;
  }

  public TraceLevel traceLevel() {
    return traceLevel;
  }

  public Consumer<CaseEvent> listener() {
    return listener;
  }

  public EngineClock clock() {
    return clock;
  }
}

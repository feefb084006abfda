package dev.damask.cases;

import dev.damask.effect.BuiltInEffects;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.HttpOptions;
import dev.damask.exec.Machine;
import dev.damask.trace.TraceLevel;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// How an engine runs. Start from [#defaults()] and change what matters with the `with` methods.
///
/// @param shards how many threads own cases
/// @param quantum how many steps a case takes before another one gets its turn
/// @param inboxMax how many inputs may wait in one shard
/// @param refuseWhenFull whether a full inbox refuses the caller instead of making it wait
/// @param residentMax how many waiting cases stay in the memory of one shard
/// @param grace how long running effects may go on when the engine closes
/// @param handlers by effect type; the built-in ones are there, `http` without a host to call
/// @param callsMax how many calls of one type may be in flight, by type
/// @param callsMaxOther the same for every other type
/// @param secrets gives a secret by its name, at the call
/// @param listener hears of every durable change; it runs in the shard and must be quick
public record EngineOptions(
    int shards,
    int quantum,
    int inboxMax,
    boolean refuseWhenFull,
    int residentMax,
    Duration grace,
    Map<String, EffectHandler> handlers,
    Map<String, Integer> callsMax,
    int callsMaxOther,
    UnaryOperator<String> secrets,
    TraceLevel traceLevel,
    Consumer<CaseEvent> listener,
    EngineClock clock) {
  private static final int SHARDS_MAX = 256;

  public EngineOptions {
    require("shards", shards, SHARDS_MAX);
    require("quantum", quantum, 1_000_000);
    require("inboxMax", inboxMax, 1_000_000);
    require("residentMax", residentMax, 10_000_000);
    require("callsMaxOther", callsMaxOther, 1_000_000);
    callsMax.forEach((type, max) -> require("callsMax of " + type, max, 1_000_000));
    handlers = Collections.unmodifiableMap(new TreeMap<>(handlers));
    callsMax = Collections.unmodifiableMap(new TreeMap<>(callsMax));
  }

  private static void require(String name, int value, int max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(name + " is from 1 to " + max + ", got " + value);
    }
  }

  /// A fresh set of defaults; the clock starts now.
  public static EngineOptions defaults() {
    return new EngineOptions(
        Math.min(4, Runtime.getRuntime().availableProcessors()),
        Machine.QUANTUM,
        4_096,
        false,
        10_000,
        Duration.ofSeconds(1),
        BuiltInEffects.all(HttpOptions.CLOSED),
        Map.of(),
        1_000,
        EngineOptions::fromEnvironment,
        TraceLevel.NONE,
        _ -> {},
        EngineClock.system());
  }

  private static String fromEnvironment(String name) {
    String secret = System.getenv(name);
    if (secret == null) {
      throw new IllegalStateException("the environment has no secret " + name);
    }
    return secret;
  }

  /// How many calls of a type may be in flight.
  int callsMax(String type) {
    return callsMax.getOrDefault(type, callsMaxOther);
  }

  public EngineOptions withShards(int value) {
    return new EngineOptions(
        value,
        quantum,
        inboxMax,
        refuseWhenFull,
        residentMax,
        grace,
        handlers,
        callsMax,
        callsMaxOther,
        secrets,
        traceLevel,
        listener,
        clock);
  }

  public EngineOptions withQuantum(int value) {
    return new EngineOptions(
        shards,
        value,
        inboxMax,
        refuseWhenFull,
        residentMax,
        grace,
        handlers,
        callsMax,
        callsMaxOther,
        secrets,
        traceLevel,
        listener,
        clock);
  }

  public EngineOptions withInbox(int max, boolean refuses) {
    return new EngineOptions(
        shards,
        quantum,
        max,
        refuses,
        residentMax,
        grace,
        handlers,
        callsMax,
        callsMaxOther,
        secrets,
        traceLevel,
        listener,
        clock);
  }

  public EngineOptions withResidentMax(int value) {
    return new EngineOptions(
        shards,
        quantum,
        inboxMax,
        refuseWhenFull,
        value,
        grace,
        handlers,
        callsMax,
        callsMaxOther,
        secrets,
        traceLevel,
        listener,
        clock);
  }

  public EngineOptions withGrace(Duration value) {
    return new EngineOptions(
        shards,
        quantum,
        inboxMax,
        refuseWhenFull,
        residentMax,
        value,
        handlers,
        callsMax,
        callsMaxOther,
        secrets,
        traceLevel,
        listener,
        clock);
  }

  /// One more handler.
  public EngineOptions withHandler(String type, EffectHandler handler) {
    Map<String, EffectHandler> all = new TreeMap<>(handlers);
    all.put(type, handler);
    return withHandlers(all);
  }

  /// These handlers and no others, not even the built-in ones.
  public EngineOptions withHandlers(Map<String, EffectHandler> all) {
    return new EngineOptions(
        shards,
        quantum,
        inboxMax,
        refuseWhenFull,
        residentMax,
        grace,
        all,
        callsMax,
        callsMaxOther,
        secrets,
        traceLevel,
        listener,
        clock);
  }

  /// One more limit of calls in flight.
  public EngineOptions withCallsMax(String type, int max) {
    Map<String, Integer> all = new TreeMap<>(callsMax);
    all.put(type, max);
    return new EngineOptions(
        shards,
        quantum,
        inboxMax,
        refuseWhenFull,
        residentMax,
        grace,
        handlers,
        all,
        callsMaxOther,
        secrets,
        traceLevel,
        listener,
        clock);
  }

  public EngineOptions withSecrets(UnaryOperator<String> value) {
    return new EngineOptions(
        shards,
        quantum,
        inboxMax,
        refuseWhenFull,
        residentMax,
        grace,
        handlers,
        callsMax,
        callsMaxOther,
        value,
        traceLevel,
        listener,
        clock);
  }

  public EngineOptions withTrace(TraceLevel value) {
    return new EngineOptions(
        shards,
        quantum,
        inboxMax,
        refuseWhenFull,
        residentMax,
        grace,
        handlers,
        callsMax,
        callsMaxOther,
        secrets,
        value,
        listener,
        clock);
  }

  public EngineOptions withListener(Consumer<CaseEvent> value) {
    return new EngineOptions(
        shards,
        quantum,
        inboxMax,
        refuseWhenFull,
        residentMax,
        grace,
        handlers,
        callsMax,
        callsMaxOther,
        secrets,
        traceLevel,
        value,
        clock);
  }

  public EngineOptions withClock(EngineClock value) {
    return new EngineOptions(
        shards,
        quantum,
        inboxMax,
        refuseWhenFull,
        residentMax,
        grace,
        handlers,
        callsMax,
        callsMaxOther,
        secrets,
        traceLevel,
        listener,
        value);
  }
}

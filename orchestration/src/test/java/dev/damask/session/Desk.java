package dev.damask.session;

import dev.damask.caller.CaseResult;
import dev.damask.cases.EngineOptions;
import dev.damask.clock.VirtualClock;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Sessions on a clock that the test moves, with rules and graphs in a few words.
final class Desk implements AutoCloseable {
  static final String ME = "eve";

  /// A step that is valid whatever comes.
  static final String SURE = "{\"payload\": {}}";

  static final long BEGINNING = 1_000_000;

  final VirtualClock clock = new VirtualClock(BEGINNING);
  final Sessions sessions;

  Desk() {
    this(new MemoryStore(), options -> options);
  }

  Desk(Store store, UnaryOperator<SessionOptions> change) {
    EngineOptions engine =
        EngineOptions.defaults().withClock(clock).withShards(1).withGrace(Duration.ZERO);
    SessionOptions options = SessionOptions.defaults().withEngine(engine);
    sessions = Sessions.open(change.apply(options), store);
  }

  Desk rule(String key, String text) {
    sessions.registry().putRule(ME, key, text);
    return this;
  }

  /// Puts the structure of a graph named `g`.
  Desk graph(String structure) {
    sessions.registry().putGraph(ME, "{\"id\": \"g\", \"structure\": {" + structure + "}}");
    return this;
  }

  SessionKey start(String step, Map<String, ? extends @Nullable Object> payload) {
    return sessions.start(SessionStart.of(ME, "g", step, payload));
  }

  CaseResult<Context> end(SessionKey key) throws InterruptedException {
    return sessions.await(key, Duration.ofSeconds(20)).orElseThrow();
  }

  /// The evaluated steps in order, such as `A:valid`.
  List<String> story(SessionKey key) {
    return sessions.log(key, line -> true).stream()
        .map(line -> line.step() + ":" + line.outcome())
        .toList();
  }

  Map<String, @Nullable Object> result(SessionKey key) {
    return sessions.view(key).result();
  }

  /// Waits until nothing moves in a session but time.
  SessionView rest(SessionKey key) throws InterruptedException {
    return sessions.settled(key, Duration.ofSeconds(20)).orElseThrow();
  }

  /// Waits, without counting time, until a session has come to rest as wanted.
  void until(SessionKey key, java.util.function.Predicate<SessionView> wanted) {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!wanted.test(sessions.view(key))) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("it never came: " + sessions.view(key));
      }
      LockSupport.parkNanos(100_000);
    }
  }

  @Override
  public void close() {
    sessions.close();
  }
}

package dev.damask.cases;

import dev.damask.effect.Effects;
import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryResult;
import dev.damask.nursery.ThreadKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Ends the threads of an engine that closes. User code has the grace period and about a second
/// more; what has not returned then is named and left behind.
final class EngineClosing {
  private static final String REASON = "the engine closes";

  /// How long user code has after the grace period.
  private static final Duration AFTER_GRACE = Duration.ofSeconds(1);

  /// How long each group of threads has at least, however much time those before have used.
  private static final Duration LEAST = Duration.ofMillis(250);

  private static final System.Logger LOG = System.getLogger(Engine.class.getName());

  private final Engine engine;
  private final Duration grace;
  private final Effects effects;
  private final long begunNanos = System.nanoTime();
  private final List<String> left = new ArrayList<>();
  private boolean isInterrupted;

  EngineClosing(Engine engine, Duration grace, Effects effects) {
    this.engine = engine;
    this.grace = grace;
    this.effects = effects;
  }

  /// Returns what was left behind. Another thread does the work, because a handler or a listener
  /// that closes the engine cannot wait for itself. If the caller is interrupted, user code has no
  /// more time.
  List<String> run(Nursery nursery, Nursery listeners) {
    try (Nursery own = Nursery.open("close")) {
      own.launch(
          ChildOptions.named("closer").withThread(ThreadKind.PLATFORM),
          _ -> close(nursery, listeners));
      own.seal();
    }
    return List.copyOf(left);
  }

  /// Threads that are not in user code are waited for: they make durable what was accepted.
  private void close(Nursery nursery, Nursery listeners) {
    engine.shards().forEach(Shard::closing);
    List<String> handlers = effects.close(grace);
    isInterrupted = Thread.interrupted();
    engine.shards().forEach(Shard::stop);
    engine.shards().forEach(this::end);
    boolean isShardLeft = !left.isEmpty();
    end(listeners);
    if (isShardLeft) {
      nursery.cancel(REASON);
    } else {
      end(nursery);
    }
    if (!left.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the engine closes; after {0} this user code has not returned and is left behind: {1}",
          grace.plus(AFTER_GRACE),
          left);
    }
    left.addAll(0, handlers);
  }

  private Duration remaining() {
    Duration used = Duration.ofNanos(System.nanoTime() - begunNanos);
    Duration remaining = isInterrupted ? LEAST : grace.plus(AFTER_GRACE).minus(used);
    return remaining.compareTo(LEAST) < 0 ? LEAST : remaining;
  }

  private void end(Shard shard) {
    Duration time = remaining();
    while (!hasEnded(shard, time)) {
      shard.hurry();
      if (!hasEnded(shard, LEAST)) {
        String stuck = shard.thread.leaveBehind();
        if (stuck != null) {
          left.add(stuck);
          engine.store.moving(shard.number, ""); // the process did not die
          // On its own thread, because replies have callbacks, too.
          engine.listen("replies of shard " + shard.number, shard::refuseEverybody);
          return;
        }
      }
      time = LEAST;
    }
  }

  private boolean hasEnded(Shard shard, Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (true) {
      try {
        return shard.thread.awaitEnd(Duration.ofNanos(end - System.nanoTime()));
      } catch (InterruptedException e) {
        isInterrupted = true; // what was accepted becomes durable all the same
      }
    }
  }

  private void end(Nursery nursery) {
    nursery.seal();
    if (pending(nursery, remaining()) != null) {
      nursery.cancel(REASON);
      NurseryResult.Pending pending = pending(nursery, LEAST);
      if (pending != null) {
        pending.notHome().forEach(child -> left.add(child.name()));
        return;
      }
    }
    nursery.close();
  }

  private NurseryResult.@Nullable Pending pending(Nursery nursery, Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (true) {
      try {
        NurseryResult result = nursery.awaitAll(Duration.ofNanos(end - System.nanoTime()));
        return result instanceof NurseryResult.Pending pending ? pending : null;
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
  }
}

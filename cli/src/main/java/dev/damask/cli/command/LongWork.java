package dev.damask.cli.command;

import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.nursery.NurseryResult;
import java.time.Duration;
import java.util.concurrent.Callable;

/// Work that may take long. It reports every few seconds that it continues.
public final class LongWork {
  private static final Duration BEAT = Duration.ofSeconds(5);

  private LongWork() {}

  public static <T> T run(Streams streams, String what, Callable<T> work) throws Exception {
    long begin = System.nanoTime();
    try (Nursery nursery = Nursery.open(NurseryOptions.named(what))) {
      var child = nursery.spawn(what, work);
      while (nursery.awaitAll(BEAT) instanceof NurseryResult.Pending) {
        long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
        streams.err().println("damask: " + what + ", " + seconds + " s so far");
      }
      return switch (child.await()) {
        case dev.damask.nursery.ChildResult.Done<T>(var value) -> value;
        case dev.damask.nursery.ChildResult.Failed<T>(Exception thrown) -> throw thrown;
        case dev.damask.nursery.ChildResult.Failed<T>(var thrown) ->
            throw new IllegalStateException(thrown);
        case dev.damask.nursery.ChildResult.Cancelled<T>(var reason) ->
            throw new Refusal(what + " was interrupted: " + reason.text());
      };
    }
  }
}

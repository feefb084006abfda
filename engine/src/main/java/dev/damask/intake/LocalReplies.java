package dev.damask.intake;

import dev.damask.store.CaseMovedException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The callers that wait until a change of a case of their own node is durable. While the database
/// is away they wait until their deadline and then learn that nothing can be stored now. A caller
/// whose case only takes long to move waits as long as it takes.
///
/// Thread-safe.
public final class LocalReplies {
  private static final long PAUSE_MILLIS = 100;

  /// A caller that waits; each is another one.
  private static final class Asked {
    private final String caseId;
    private final CompletableFuture<?> reply;
    private final long sinceNanos;

    Asked(String caseId, CompletableFuture<?> reply, long sinceNanos) {
      this.caseId = caseId;
      this.reply = reply;
      this.sinceNanos = sinceNanos;
    }
  }

  private final BooleanSupplier isAway;
  private final long patienceNanos;
  private final LongSupplier nanoTime;
  private final Set<Asked> waiting = ConcurrentHashMap.newKeySet();

  /// @param isAway whether the database has not answered for a part of the lease
  public LocalReplies(BooleanSupplier isAway, Duration patience, LongSupplier nanoTime) {
    this.isAway = isAway;
    this.patienceNanos = patience.toNanos();
    this.nanoTime = nanoTime;
  }

  /// Returns the answer of this node, or of the next owner if the case has moved meanwhile.
  public static <T> CompletableFuture<T> follow(
      CompletableFuture<T> answer, Supplier<CompletableFuture<T>> elsewhere) {
    CompletableFuture<T> routed = new CompletableFuture<>();
    var _ =
        answer.whenComplete((value, thrown) -> {
          if (thrown instanceof CaseMovedException) {
            var _ = elsewhere.get().whenComplete((later, why) -> complete(routed, later, why));
          } else {
            complete(routed, value, thrown);
          }
        });
    return routed;
  }

  /// @param thrown null if there is a value
  private static <T> void complete(
      CompletableFuture<T> reply, T value, @Nullable Throwable thrown) {
    if (thrown == null) {
      reply.complete(value);
    } else {
      reply.completeExceptionally(thrown);
    }
  }

  /// Notes a reply that a caller waits for.
  public <T> CompletableFuture<T> add(String caseId, CompletableFuture<T> reply) {
    Asked asked = new Asked(caseId, reply, nanoTime.getAsLong());
    waiting.add(asked);
    var _ = reply.whenComplete((_, _) -> waiting.remove(asked));
    return reply;
  }

  /// Answers those who have waited too long.
  public void expire() {
    if (!isAway.getAsBoolean()) {
      return;
    }
    long now = nanoTime.getAsLong();
    waiting.forEach(asked -> {
      if (now - asked.sinceNanos >= patienceNanos) {
        asked.reply.completeExceptionally(
            new IllegalStateException(
                "case %s: the change cannot be stored at the moment; it may still be stored when"
                        .formatted(asked.caseId)
                    + " the database is back; send it again under the same id"));
      }
    });
  }

  /// Waits for the reply to a change of slots, or cancels it when it cannot come any more: shards
  /// without a lease wait for one, in vain after a fence.
  public static void await(CompletableFuture<Boolean> reply, BooleanSupplier isInVain)
      throws InterruptedException, ExecutionException {
    while (!reply.isDone()) {
      try {
        reply.get(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (isInVain.getAsBoolean()) {
          reply.cancel(false); // the shard passes over it
        }
      }
    }
    if (!reply.isCancelled()) {
      reply.get();
    }
  }
}

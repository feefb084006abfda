package dev.damask.intake;

import dev.damask.store.StoreException;
import dev.damask.term.Limits;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// What callers get to see: answers that were waited for, exceptions with a trace of their own, and
/// refusals at the door.
public final class Replies {
  public static final int ID_MAX = 128;
  private static final int REASON_MAX = 1_000;

  private Replies() {}

  public static <T> T get(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw unwrapped(e.getCause());
    }
  }

  public static <T> T await(CompletableFuture<T> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw unwrapped(e.getCause());
    }
  }

  /// Empty when the time is up.
  public static <T> Optional<T> await(CompletableFuture<T> future, Duration time)
      throws InterruptedException {
    try {
      return Optional.of(future.get(time.toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw unwrapped(e.getCause());
    }
  }

  public static RuntimeException unwrapped(@Nullable Throwable thrown) {
    return switch (thrown) {
      case StoreException e -> stopped(e);
      case IllegalArgumentException e -> new IllegalArgumentException(e.getMessage(), e);
      case IllegalStateException e -> new IllegalStateException(e.getMessage(), e);
      case null, default -> new IllegalStateException("unexpected: " + thrown, thrown);
    };
  }

  public static StoreException stopped(StoreException cause) {
    return new StoreException("the engine has stopped: " + cause.getMessage(), cause);
  }

  public static void requireId(String caseId) {
    if (caseId.isEmpty()
        || caseId.length() > ID_MAX
        || !caseId.chars().allMatch(Replies::isIdChar)) {
      throw new IllegalArgumentException(
          "a case id has from 1 to %d letters, digits, '.', '_', ':' and '-', got '%s'"
              .formatted(ID_MAX, caseId));
    }
  }

  public static void requireReason(String reason) {
    if (reason.length() > REASON_MAX) {
      throw new IllegalArgumentException(
          "a reason has at most %d characters, got %d".formatted(REASON_MAX, reason.length()));
    }
  }

  private static boolean isIdChar(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == ':'
        || c == '-';
  }

  public static void requireSmall(String caseId, Context context, Limits limits) {
    if (context.weight() > limits.contextBytes()) {
      throw new IllegalArgumentException(
          "case %s: a context has at most %d bytes, this one has about %d"
              .formatted(caseId, limits.contextBytes(), context.weight()));
    }
  }
}

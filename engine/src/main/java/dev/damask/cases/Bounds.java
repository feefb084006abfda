package dev.damask.cases;

import dev.damask.effect.EffectResult;
import dev.damask.event.Failure;
import dev.damask.intake.CaseQueue;
import dev.damask.intake.Request;
import dev.damask.term.Limits;
import dev.damask.value.Context;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The limits of inputs, checked before an input is stored.
final class Bounds {
  static final int MESSAGE_ID_BYTES = 256;

  /// No case needs more; a state beyond it would take the memory of the others.
  static final int STATE_BYTES = 64 << 20;

  /// Every store can index a key of this size.
  static final int KEY_BYTES = 2_000;

  private static final int NAME_MAX = 1_000;

  private Bounds() {}

  /// Throws `IllegalArgumentException` if a message id is too long or contains U+0000, which
  /// PostgreSQL cannot store.
  static void requireMessageId(@Nullable String messageId) {
    if (messageId == null) {
      return;
    }
    int size =
        messageId.length() > MESSAGE_ID_BYTES
            ? messageId.length()
            : messageId.getBytes(StandardCharsets.UTF_8).length;
    if (size > MESSAGE_ID_BYTES) {
      throw new IllegalArgumentException(
          "a message id has at most %d bytes, this one has %d".formatted(MESSAGE_ID_BYTES, size));
    }
    requireNoZero("a message id", messageId);
  }

  /// Returns a user's idempotency key, or throws `IllegalArgumentException` if it is too long or
  /// contains U+0000.
  static String requireKey(String key) {
    int size = key.getBytes(StandardCharsets.UTF_8).length;
    if (size > KEY_BYTES) {
      throw new IllegalArgumentException(
          "an idempotency key has at most %d bytes, this one has %d".formatted(KEY_BYTES, size));
    }
    requireNoZero("an idempotency key", key);
    return key;
  }

  private static void requireNoZero(String what, String text) {
    int index = text.indexOf(0);
    if (index >= 0) {
      throw new IllegalArgumentException(
          "%s must not contain U+0000, found one at index %d".formatted(what, index));
    }
  }

  /// Throws `IllegalArgumentException` if the name of a person is too long.
  static void requireName(String name) {
    if (name.length() > NAME_MAX) {
      throw new IllegalArgumentException(
          "a name has at most %d characters, this one has %d".formatted(NAME_MAX, name.length()));
    }
  }

  /// Throws `IllegalArgumentException` if a result is too large, and `IllegalStateException` if as
  /// much input waits for the case as it may buffer.
  static void require(LiveCase live, Request.Queued deed) {
    Limits limits = limits(live);
    Context result = result(deed);
    if (result != null && result.weight() > resultBytes(limits)) {
      throw new IllegalArgumentException(
          "case %s: %s".formatted(live.id, tooLarge(result, limits)));
    }
    long waiting = CaseQueue.weight(deed);
    if (waiting == 0 || live.queue.isEmpty()) {
      return;
    }
    waiting += live.queue.weight();
    if (waiting > limits.bufferedBytes()) {
      throw new IllegalStateException(
          "case %s is busy: about %d bytes of input wait for it, at most %d may; try again, nothing"
                  .formatted(live.id, waiting, limits.bufferedBytes())
              + " was changed");
    }
  }

  private static @Nullable Context result(Request.Queued deed) {
    return switch (deed) {
      case Request.Answer(_, _, Request.Verdict.Done(var result), _) -> result;
      case Request.Answer(_, _, Request.Verdict.Skipped(var result), _) -> result;
      default -> null;
    };
  }

  /// A result that is too large fails the attempt.
  static EffectResult of(LiveCase live, EffectResult result) {
    return result instanceof EffectResult.Ok(var context)
            && context.weight() > resultBytes(limits(live))
        ? new EffectResult.Failed(Failure.LIMIT, tooLarge(context, limits(live)))
        : result;
  }

  private static String tooLarge(Context result, Limits limits) {
    return "a result has at most %d bytes (limit resultBytes), this one has about %d"
        .formatted(resultBytes(limits), result.weight());
  }

  /// Who raises the bound of contexts and does not mention results means both.
  private static int resultBytes(Limits limits) {
    return limits.resultBytes() == Limits.DEFAULT.resultBytes()
        ? Math.max(limits.resultBytes(), limits.contextBytes())
        : limits.resultBytes();
  }

  private static Limits limits(LiveCase live) {
    return live.terms.options().limits().orElse(live.state.program().limits());
  }
}

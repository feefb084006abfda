package dev.damask.cases;

import dev.damask.effect.EffectResult;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.intake.CaseQueue;
import dev.damask.intake.ReceivedData;
import dev.damask.intake.Request;
import dev.damask.intake.ZeroCharacters;
import dev.damask.steps.ScriptSteps;
import dev.damask.task.RetryHint;
import dev.damask.term.Limits;
import dev.damask.value.Context;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
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

  /// Throws `IllegalArgumentException` if a result is too large or does not fit, or if a payload
  /// does not fit what the workflow declares, and `IllegalStateException` if as much input waits
  /// for the case as it may buffer.
  static void require(LiveCase live, Request.Queued deed, CaseRunner runner) {
    Limits limits = limits(live);
    Context result = result(deed);
    if (deed instanceof Request.Feed feed) {
      ZeroCharacters.refuse("case " + live.id + ": a payload", payload(feed));
    } else if (result != null) {
      ZeroCharacters.refuse("case " + live.id + ": a result", result);
    }
    if (result != null && result.weight() > resultBytes(limits)) {
      throw new IllegalArgumentException(
          "case %s: %s".formatted(live.id, tooLarge(result, limits)));
    }
    if (deed instanceof Request.Answer answer && result != null) {
      ReceivedData.requireResult(live.id, live.state, answer.effect(), result);
    } else if (deed instanceof Request.Feed feed && feed.input() instanceof Input.Signal signal) {
      List<List<String>> awaited = ScriptSteps.problems(runner.scripted(live), signal);
      ReceivedData.requirePayload(live.id, live.state, signal, awaited);
    }
    long stored = CasePauses.bytes(live);
    if (!live.queue.isEmpty() || stored > 0) {
      requireRoom(live.id, CaseQueue.weight(deed), live.queue.weight() + stored, limits);
    }
  }

  /// Throws `IllegalStateException` if an input is more than a case may buffer.
  ///
  /// @param size about how many bytes the input has
  /// @param waiting about how many bytes of input wait for the case
  static void requireRoom(String caseId, long size, long waiting, Limits limits) {
    if (size > 0 && size + waiting > limits.bufferedBytes()) {
      throw new IllegalStateException(
          "case %s is busy: about %d bytes of input wait for it, at most %d may; try again, nothing"
                  .formatted(caseId, size + waiting, limits.bufferedBytes())
              + " was changed");
    }
  }

  /// Throws `IllegalStateException` if as many inputs wait for a case as may.
  static void requirePlace(String caseId, int waiting, int max) {
    if (waiting >= max) {
      throw new IllegalStateException(
          "case %s is busy: %d inputs wait for it; try again, nothing was changed"
              .formatted(caseId, waiting));
    }
  }

  private static @Nullable Context result(Request.Queued deed) {
    return switch (deed) {
      case Request.Answer(_, _, Request.Verdict.Done(var result), _, _) -> result;
      case Request.Answer(_, _, Request.Verdict.Skipped(var result), _, _) -> result;
      default -> null;
    };
  }

  private static Context payload(Request.Feed feed) {
    return switch (feed.input()) {
      case Input.Signal(_, var payload) -> payload;
      case Input.AddInstance(_, var item, _) -> Context.of("item", item);
      default -> Context.empty();
    };
  }

  /// A result that is too large or contains U+0000 fails the attempt.
  static EffectResult of(LiveCase live, EffectResult result) {
    String zero = result instanceof EffectResult.Ok(var found) ? ZeroCharacters.find(found) : null;
    if (zero != null) {
      return new EffectResult.Failed(
          Failure.EXPRESSION,
          "a result must not contain U+0000, found one in '" + zero + "'",
          RetryHint.PERMANENT);
    }
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

  static int require(String name, int value, int max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(name + " must be between 1 and " + max + ", got " + value);
    }
    return value;
  }

  static Duration require(String name, Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException(name + " must not be negative, got " + value);
    }
    return value;
  }

  static Duration positive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(name + " must be positive, got " + value);
    }
    return value;
  }
}

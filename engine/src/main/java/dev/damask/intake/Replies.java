package dev.damask.intake;

import dev.damask.attribute.AttributeValues;
import dev.damask.caller.StaleRevisionException;
import dev.damask.cluster.NotAppliedException;
import dev.damask.ops.KeptCases;
import dev.damask.program.Program;
import dev.damask.store.RowChange;
import dev.damask.store.StoreException;
import dev.damask.term.Attribute;
import dev.damask.term.Declared;
import dev.damask.term.Limits;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
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
      case NotAppliedException e -> e;
      case StaleRevisionException e -> e;
      case IllegalStateException e -> new IllegalStateException(e.getMessage(), e);
      case null, default -> new IllegalStateException("unexpected: " + thrown, thrown);
    };
  }

  public static StoreException stopped(StoreException cause) {
    return new StoreException("the engine has stopped: " + cause.getMessage(), cause);
  }

  public static void requireId(String caseId) {
    boolean isId = !caseId.isEmpty() && caseId.length() <= ID_MAX;
    for (int i = 0; isId && i < caseId.length(); i++) {
      isId = isIdChar(caseId.charAt(i));
    }
    if (!isId) {
      throw new IllegalArgumentException(
          "a case id has from 1 to %d letters, digits, '.', '_', ':' and '-', got '%s'"
              .formatted(ID_MAX, caseId));
    }
  }

  /// Throws `IllegalArgumentException` if a new case cannot have an id: if it is malformed, or
  /// reserved for an orchestration. The id of a session is accepted together with the row of that
  /// session, which [KeptCases#isSessionStart] finds.
  public static void requireNewId(String caseId, List<RowChange> rows) {
    requireId(caseId);
    if (KeptCases.isOfOrchestration(caseId) && !KeptCases.isSessionStart(caseId, rows)) {
      throw new IllegalArgumentException(
          "the id '%s' is reserved: ids that begin with '%s' or '%s' belong to orchestrations"
              .formatted(caseId, KeptCases.SESSION, KeptCases.REGISTRY));
    }
  }

  /// Throws `IllegalArgumentException` if the workflow does not accept a context as its input.
  public static void requireInput(String workflow, Program program, Context context) {
    if (program.declared() == Declared.NOTHING) {
      return;
    }
    Context whole = program.context().withAll(context);
    List<String> problems = program.declared().input().apply(whole);
    if (!problems.isEmpty()) {
      int more = problems.size() - 1;
      throw new IllegalArgumentException(
          "%s: the context does not fit 'input': %s%s"
              .formatted(
                  workflow, problems.getFirst(), more == 0 ? "" : " (and " + more + " more)"));
    }
  }

  /// Throws `IllegalArgumentException` if the workflow does not accept a context as the input of a
  /// case, or if the case would have an attribute that cannot be indexed.
  public static void requireInput(Program program, String caseId, Context context) {
    requireInput("case " + caseId + " of workflow " + program.name(), program, context);
    requireAttributes("case " + caseId, program, context);
  }

  /// Throws `IllegalArgumentException` if a case with this input would have an attribute that
  /// cannot be indexed.
  ///
  /// @param what what has the input, for the message
  public static void requireAttributes(String what, Program program, Context context) {
    List<Attribute> declared = program.attributes();
    if (declared.isEmpty()) {
      return;
    }
    List<String> problems = AttributeValues.problems(declared, program.context().withAll(context));
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(what + ": " + String.join("; ", problems));
    }
  }

  public static void requireReason(String reason) {
    if (reason.length() > REASON_MAX) {
      throw new IllegalArgumentException(
          "a reason has at most %d characters, got %d".formatted(REASON_MAX, reason.length()));
    }
  }

  /// Throws `IllegalArgumentException` if a reason is missing or too long.
  public static void requireGiven(String reason) {
    if (reason.isBlank()) {
      throw new IllegalArgumentException("a reason is required; specify why this is done");
    }
    requireReason(reason);
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

  /// Throws `IllegalArgumentException` if a context is too large, or contains U+0000.
  ///
  /// @param what what has the context, for the message
  public static void requireSmall(String what, Context context, Limits limits) {
    ZeroCharacters.refuse(what + ": the input", context);
    if (context.weight() > limits.contextBytes()) {
      throw new IllegalArgumentException(
          "%s: a context has at most %d bytes, this one has about %d"
              .formatted(what, limits.contextBytes(), context.weight()));
    }
  }
}

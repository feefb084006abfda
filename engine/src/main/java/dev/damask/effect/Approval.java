package dev.damask.effect;

import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A decision by an approver, and what happens without one.
///
/// @param approvers who may decide; any caller when it is empty
/// @param within how long there is time; empty when there is no limit
/// @param fallback the decision when the time is up, if the action is `DEFAULT`
public record Approval(
    String question,
    List<String> approvers,
    Optional<Duration> within,
    OnTimeout onTimeout,
    Context fallback) {
  /// The effect type of tasks that are nothing but a decision.
  public static final String TYPE = "approval";

  /// What follows when there is no decision in time.
  public enum OnTimeout {
    /// The task is cancelled.
    CANCEL,
    /// The fallback is the decision.
    DEFAULT,
    /// The task fails with `escalated`, so that the scope around it can ask another approver.
    ESCALATE
  }

  /// The reason of a task without a decision in time.
  public static final String ESCALATED = "escalated";

  public Approval {
    approvers = List.copyOf(approvers);
    if (within.isPresent() && !within.get().isPositive()) {
      throw new IllegalArgumentException("within must be positive, got " + within.get());
    }
  }

  /// Returns an approval by any caller, without a time limit.
  public static Approval of(String question) {
    return new Approval(question, List.of(), Optional.empty(), OnTimeout.CANCEL, Context.empty());
  }

  /// Returns this approval with the approvers who may decide.
  public Approval withApprovers(String... names) {
    return new Approval(question, List.of(names), within, onTimeout, fallback);
  }

  /// Returns this approval with a time limit and the action that follows it.
  public Approval withWithin(Duration time, OnTimeout action) {
    return new Approval(question, approvers, Optional.of(time), action, fallback);
  }

  /// Taken as approved, or as rejected, when the time is up.
  public Approval withDefault(Duration time, boolean isApproved) {
    Context decision = decision(isApproved, "default");
    return new Approval(question, approvers, Optional.of(time), OnTimeout.DEFAULT, decision);
  }

  /// What a decision writes into the context of the task.
  public static Context decision(boolean isApproved, String by) {
    return Context.of("approved", isApproved, "by", by);
  }

  /// What a task of type [#TYPE] asks for. `EffectException` when that makes no sense.
  public static Approval of(Context with) throws EffectException {
    Payload payload = new Payload(TYPE, with);
    payload.requireOnly("question", "approvers", "within", "onTimeout", "default");
    Optional<Duration> within = payload.duration("within");
    OnTimeout action = action(payload);
    if (action != OnTimeout.CANCEL && within.isEmpty()) {
      throw payload.problem("'onTimeout' requires 'within'");
    }
    if (with.has("default") != (action == OnTimeout.DEFAULT)) {
      throw payload.problem("'default' requires 'onTimeout: default', and the other way round");
    }
    return new Approval(
        payload.text("question", ""),
        approvers(payload, with.get("approvers")),
        within,
        action,
        fallback(with.get("default")));
  }

  /// Returns the payload of a task of type [#TYPE] that asks for this approval.
  public Context payload() {
    Context payload =
        Context.of("question", question, "approvers", approvers)
            .with("onTimeout", onTimeout.name().toLowerCase(Locale.ROOT));
    if (within.isPresent()) {
      payload = payload.with("within", within.get().toString());
    }
    return onTimeout == OnTimeout.DEFAULT ? payload.with("default", fallback.toMap()) : payload;
  }

  private static OnTimeout action(Payload payload) throws EffectException {
    String word = payload.text("onTimeout", "cancel");
    for (OnTimeout each : OnTimeout.values()) {
      if (each.name().toLowerCase(Locale.ROOT).equals(word)) {
        return each;
      }
    }
    throw payload.problem("'onTimeout' is cancel, default or escalate, found '" + word + "'");
  }

  private static List<String> approvers(Payload payload, @Nullable Object value)
      throws EffectException {
    return switch (value) {
      case null -> List.of();
      case String name -> List.of(name);
      case List<?> names -> names.stream().map(String::valueOf).toList();
      default -> throw payload.problem("'approvers' must be a list of names");
    };
  }

  private static Context fallback(@Nullable Object value) {
    return switch (value) {
      case null -> Context.empty();
      case Boolean isApproved -> decision(isApproved, "default");
      case Map<?, ?> map -> {
        Context context = Context.empty();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          context = context.with(String.valueOf(entry.getKey()), entry.getValue());
        }
        yield context;
      }
      default -> Context.of("decision", value, "by", "default");
    };
  }

  /// Returns how long to wait, and what happens to the task without a decision by then.
  public WaitingEffect.Plan plan() {
    String lateness =
        question.isEmpty() ? "no approver decided" : "no approver decided: " + question;
    return new WaitingEffect.Plan(
        within,
        switch (onTimeout) {
          case CANCEL -> new WaitingEffect.TimeUp.Withdrawn();
          case DEFAULT -> new WaitingEffect.TimeUp.Done(fallback);
          case ESCALATE -> new WaitingEffect.TimeUp.Failed(ESCALATED, lateness);
        });
  }
}

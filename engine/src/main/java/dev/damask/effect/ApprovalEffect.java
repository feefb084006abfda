package dev.damask.effect;

import dev.damask.task.Context;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// `approval {question, approvers, within: DUR, onTimeout, default}`: waits for an explicit
/// decision, which is the result somebody completes the task with.
///
/// Without a decision within the time: `cancel` (the default) withdraws the task, `default`
/// completes it with the map in `default`, and `escalate` fails it with the reason `escalated`, so
/// that the scope around it can ask somebody else. Without `within` it waits for ever.
public final class ApprovalEffect implements WaitingEffect {
  public static final String ESCALATED = "escalated";

  @Override
  public Plan plan(Context with) throws EffectFailed {
    Payload payload = new Payload("approval", with);
    payload.requireOnly("question", "approvers", "within", "onTimeout", "default");
    String question = payload.text("question", "");
    Optional<Duration> within = payload.duration("within");
    String action = payload.text("onTimeout", "cancel");
    boolean hasDefault = with.has("default");
    if (hasDefault != action.equals("default")) {
      throw payload.problem("'default' and 'onTimeout: default' go together");
    }
    return new Plan(
        within,
        switch (action) {
          case "cancel" -> new TimeUp.Withdrawn();
          case "default" -> new TimeUp.Done(decision(payload, with.get("default")));
          case "escalate" ->
              new TimeUp.Failed(
                  ESCALATED, question.isEmpty() ? "nobody decided" : "nobody decided: " + question);
          default ->
              throw payload.problem(
                  "'onTimeout' is cancel, default or escalate, found '" + action + "'");
        });
  }

  private static Context decision(Payload payload, @Nullable Object value) throws EffectFailed {
    if (!(value instanceof Map<?, ?> entries)) {
      throw payload.problem("'default' is a map such as {approved: false}");
    }
    Context context = Context.empty();
    for (Map.Entry<?, ?> entry : entries.entrySet()) {
      context = context.with(String.valueOf(entry.getKey()), entry.getValue());
    }
    return context;
  }
}

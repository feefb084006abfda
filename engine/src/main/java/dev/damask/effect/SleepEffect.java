package dev.damask.effect;

import dev.damask.value.Context;
import java.util.Optional;

/// `sleep {for: DUR}`: completes when the time has passed, and never earlier.
public final class SleepEffect implements WaitingEffect {
  @Override
  public Plan plan(Context with) throws EffectException {
    Payload payload = new Payload("sleep", with);
    payload.requireOnly("for");
    return new Plan(
        Optional.of(
            payload
                .duration("for")
                .orElseThrow(() -> payload.problem("'for' is missing, a duration such as PT10S"))),
        new TimeUp.Done(Context.empty()));
  }
}

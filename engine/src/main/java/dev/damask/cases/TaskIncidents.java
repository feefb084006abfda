package dev.damask.cases;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Pause;
import dev.damask.exec.ExecState;
import dev.damask.task.EffectId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Turns the tasks that the machine has parked into incidents.
final class TaskIncidents {
  private static final String TIMED_OUT = "the attempt timed out";

  private TaskIncidents() {}

  /// Whether a task still waits for the attempt that a call is. A task that is an incident waits
  /// for an operator, and a failure that comes late does not end it.
  static boolean isAwaited(@Nullable EffectIntent intent, EffectCall call) {
    return intent != null && intent.attempt() == call.attempt() && intent.pause() == null;
  }

  /// Notes the tasks that have become incidents; false if the task of an intent is none of them.
  ///
  /// @param detail what its handler reported
  static boolean note(LiveCase live, EffectIntent known, String detail, long now) {
    boolean isNoted = false;
    for (ExecState.Parked parked : live.state.takeParked()) {
      boolean isKnown = parked.request().id().equals(known.id());
      isNoted |= isKnown;
      park(live, parked, isKnown ? known : null, isKnown ? detail : TIMED_OUT, now);
    }
    return isNoted;
  }

  /// Notes the tasks that have become incidents because their attempts timed out.
  ///
  /// @param stopped the intents of tasks whose calls were interrupted
  static void note(LiveCase live, Map<EffectId, EffectIntent> stopped, long now) {
    for (ExecState.Parked parked : live.state.takeParked()) {
      park(live, parked, stopped.get(parked.request().id()), TIMED_OUT, now);
    }
  }

  private static void park(
      LiveCase live,
      ExecState.Parked parked,
      @Nullable EffectIntent known,
      String detail,
      long now) {
    EffectIntent intent = known == null ? live.intents.get(parked.request().id()) : known;
    EffectIntent planned = intent == null ? EffectPolicy.unplanned(live, parked.request()) : intent;
    Pause.Incident incident =
        new Pause.Incident(now, parked.request().address().toString(), parked.reason(), detail);
    live.plan(planned.parked(incident));
  }
}

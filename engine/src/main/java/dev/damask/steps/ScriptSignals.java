package dev.damask.steps;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.script.ScriptFunction;
import dev.damask.script.ScriptStep;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The signals that scripts await. Waits of the workflow's own terms are served first. A signal
/// whose name the program does not know goes to the mailbox of its scripts.
final class ScriptSignals {
  private final StepResults results;

  ScriptSignals(StepResults results) {
    this.results = results;
  }

  /// Applies an input from outside. A signal that no term took goes to a script that awaits it,
  /// also if its place would not keep it.
  Reply feed(ScriptCase live, Input input, long now) {
    Input routed = routed(live, input);
    Reply reply = live.apply(routed, now);
    if (live.scripts().isEmpty() || !(routed instanceof Input.Signal signal)) {
      return reply;
    }
    boolean isTaken =
        switch (reply) {
          case BUFFERED -> serve(live, now);
          case LOST -> take(live, signal, now);
          default -> false;
        };
    return isTaken ? Reply.ACCEPTED : reply;
  }

  private static Input routed(ScriptCase live, Input input) {
    return input instanceof Input.Signal(var place, var payload)
            && live.hasPlace(ScriptFunction.MAILBOX)
            && !live.hasPlace(place)
        ? new Input.Signal(
            ScriptFunction.MAILBOX,
            Context.of(ScriptStep.SIGNAL, place, ScriptStep.VALUE, payload.toMap()))
        : input;
  }

  /// What is wrong with the payload of a signal, for each open step that awaits it.
  static List<List<String>> problems(ScriptCase live, Input.Signal signal, long now) {
    List<List<String>> problems = new ArrayList<>();
    for (OpenStep each : awaits(live, now)) {
      if (signal.place().equals(each.intent().with().get(ScriptStep.SIGNAL))
          && each.script().request.task().function() instanceof ScriptFunction function) {
        problems.add(function.problems(signal.place(), signal.payload()));
      }
    }
    return problems;
  }

  private boolean take(ScriptCase live, Input.Signal signal, long now) {
    for (OpenStep each : awaits(live, now)) {
      if (signal.place().equals(each.intent().with().get(ScriptStep.SIGNAL))) {
        receive(each, signal.payload().toMap());
        return true;
      }
    }
    return false;
  }

  private static List<OpenStep> awaits(ScriptCase live, long now) {
    List<OpenStep> found = List.of();
    for (EffectIntent intent : live.intents()) {
      LiveScript script = OpenStep.isAwait(intent) ? ScriptSteps.of(live, intent) : null;
      if (script != null) {
        found = found.isEmpty() ? new ArrayList<>() : found;
        found.add(new OpenStep(live, script, intent, now));
      }
    }
    return found;
  }

  /// Gives the tokens on places to the scripts that await them; returns whether one got any.
  boolean serve(ScriptCase live, long now) {
    boolean any = false;
    for (OpenStep each : awaits(live, now)) {
      any |= serve(each);
    }
    return any;
  }

  private boolean serve(OpenStep open) {
    ScriptCase live = open.live();
    String place = String.valueOf(open.intent().with().get(ScriptStep.SIGNAL));
    boolean isOwn = live.hasPlace(place);
    String from = isOwn ? place : ScriptFunction.MAILBOX;
    List<Context> waiting = live.signals(from);
    for (int i = 0; i < waiting.size(); i++) {
      Context found = waiting.get(i);
      if (isOwn || place.equals(found.get(ScriptStep.SIGNAL))) {
        live.apply(new Input.ScriptTake(open.script().token(), from, i), open.now());
        receive(open, isOwn ? found.toMap() : found.get(ScriptStep.VALUE));
        return true;
      }
    }
    return false;
  }

  private void receive(OpenStep open, @Nullable Object payload) {
    Context result = Context.of(ScriptStep.SIGNAL, Objects.requireNonNull(payload));
    results.complete(open, new Receipt.Result.Ok(result), result);
  }
}

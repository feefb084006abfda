package dev.damask.steps;

import dev.damask.effect.EffectIntent;
import dev.damask.event.EffectRequest;
import dev.damask.event.TokenId;
import dev.damask.script.ScriptRun;
import dev.damask.script.ScriptStep;
import dev.damask.script.StepEnding;
import dev.damask.script.StepId;
import dev.damask.task.EffectId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// A script that a case in memory waits for. All of it is in the store as well, in the receipts and
/// intents of the steps.
public final class LiveScript {
  /// The task, as it was requested.
  public final EffectRequest request;

  /// The run that may ask for steps; null while the script is out of memory.
  @Nullable ScriptRun run;

  int runs;

  /// Whether it is an incident: it does not run before an operator retries it.
  boolean isParked;

  /// The steps that a run has asked for and that have not ended.
  final Map<EffectId, ScriptStep> asked = new HashMap<>();

  /// The steps that were open when the run was planned, and how they have ended since.
  final Map<EffectId, @Nullable StepEnding> endedSince = new HashMap<>();

  /// The steps whose calls this engine has made; written when the calls are published.
  final Set<EffectId> called = ConcurrentHashMap.newKeySet();

  /// A script that has not started.
  public LiveScript(EffectRequest request) {
    this.request = request;
  }

  /// Returns the effect of the task.
  public EffectId id() {
    return request.id();
  }

  TokenId token() {
    return request.token();
  }

  /// Whether an id with a label is that of one of its steps.
  boolean owns(EffectId step, String label) {
    return StepId.of(id(), label).equals(step);
  }

  /// The intents of its open steps, the oldest first.
  List<EffectIntent> open(ScriptCase live) {
    List<EffectIntent> open = new ArrayList<>();
    for (EffectIntent intent : live.intents()) {
      if (intent.step() && intent.token() == token().number() && owns(intent.id(), intent.task())) {
        open.add(intent);
      }
    }
    return open;
  }
}

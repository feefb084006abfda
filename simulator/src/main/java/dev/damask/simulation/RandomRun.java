package dev.damask.simulation;

import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.exec.ExecState;
import dev.damask.value.Context;
import java.util.List;

/// Drives a case with random external events.
public final class RandomRun {
  private RandomRun() {}

  /// Returns the next event for a case: usually one that it waits for, sometimes another.
  @SuppressWarnings("exports") // the state is for our own modules
  public static Input next(Choices choices, ExecState state) {
    List<EffectRequest> pending = state.pendingEffects();
    int kind = choices.next(16);
    if (kind < 9 && !pending.isEmpty()) {
      EffectRequest request = pending.get(choices.next(pending.size()));
      return kind == 8
          ? new Input.TaskFailed(request.token(), "chance")
          : new Input.TaskDone(request.token(), data(choices));
    }
    return switch (kind) {
      case 9 ->
          pending.isEmpty()
              ? new Input.Kill("Q", false)
              : new Input.CancelTask(pending.getFirst().token());
      case 10 -> new Input.Kill(choices.oneIn(12) ? "case" : "R", choices.oneIn(2));
      case 11 -> new Input.AddInstance("i", "item", choices.oneIn(2));
      case 12 -> new Input.CloseInstances("j");
      case 13 -> new Input.Signal("t", data(choices));
      case 14 -> new Input.Signal("s", data(choices));
      default -> new Input.Advance(state.clock() + 1_000L * (1 + choices.next(4)));
    };
  }

  private static Context data(Choices choices) {
    String key = TermGenerator.KEYS.get(choices.next(TermGenerator.KEYS.size()));
    return choices.oneIn(2) ? Context.empty() : Context.of(key, choices.next(3));
  }
}

package dev.damask.intake;

import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.exec.ExecState;
import dev.damask.task.EffectId;
import dev.damask.task.ResultCheck;
import dev.damask.value.Context;
import java.util.List;

/// Compares data that callers, workers and operators send to a case with what its workflow
/// declares, before anything is stored.
public final class ReceivedData {
  private ReceivedData() {}

  /// Throws `IllegalArgumentException` if nothing that waits for a signal accepts its payload.
  ///
  /// @param awaited what is wrong with it for each script that awaits it
  public static void requirePayload(
      String caseId, ExecState state, Input.Signal signal, List<List<String>> awaited) {
    var payloads = state.program().declared().payloads();
    var check = payloads.isEmpty() ? null : payloads.get(signal.place());
    if (awaited.stream().anyMatch(List::isEmpty)) {
      return;
    }
    if (check != null) {
      refuse("case %s: signal %s".formatted(caseId, signal.place()), check.apply(signal.payload()));
    } else if (!awaited.isEmpty()) {
      refuse("case %s: signal %s".formatted(caseId, signal.place()), awaited.getFirst());
    }
  }

  /// Throws `IllegalArgumentException` if a pending task does not accept a result.
  public static void requireResult(
      String caseId, ExecState state, EffectId effect, Context result) {
    for (EffectRequest each : state.pendingEffects()) {
      if (each.id().equals(effect) && each.task().template() instanceof ResultCheck check) {
        refuse(
            "case %s: the result of task %s".formatted(caseId, each.task().name()),
            check.problems(result));
      }
    }
  }

  private static void refuse(String what, List<String> problems) {
    if (!problems.isEmpty()) {
      int more = problems.size() - 1;
      throw new IllegalArgumentException(
          "%s: %s%s"
              .formatted(what, problems.getFirst(), more == 0 ? "" : " (and " + more + " more)"));
    }
  }
}

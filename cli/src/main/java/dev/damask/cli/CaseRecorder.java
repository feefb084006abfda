package dev.damask.cli;

import dev.damask.cases.MoveWatch;
import dev.damask.exec.Input;
import dev.damask.exec.TraceEvent;
import dev.damask.program.ProgramHash;
import dev.damask.task.Context;
import dev.damask.trace.Recording;
import dev.damask.trace.TraceLevel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Writes down what comes into the cases of an engine that begin while it watches.
final class CaseRecorder implements MoveWatch {
  private static final class Begun {
    private final Context context;
    private final long clockMillis;
    private final List<Input> inputs = new ArrayList<>();
    private int committed;

    Begun(Context context, long clockMillis) {
      this.context = context;
      this.clockMillis = clockMillis;
    }
  }

  private final Map<String, Begun> cases = new HashMap<>(); // guarded by this object

  @Override
  public synchronized void started(String caseId, Context context, long now) {
    cases.put(caseId, new Begun(context, now));
  }

  @Override
  public synchronized void applied(String caseId, Input input) {
    Begun begun = cases.get(caseId);
    if (begun != null) {
      begun.inputs.add(input);
    }
  }

  @Override
  public void ran(String caseId, int quantum) {
    // A case runs until it waits, however often it makes room for others.
  }

  @Override
  public synchronized void committed(String caseId, long revision) {
    Begun begun = cases.get(caseId);
    if (begun != null) {
      begun.committed = begun.inputs.size();
    }
  }

  @Override
  public synchronized void dropped(String caseId) {
    Begun begun = cases.get(caseId);
    if (begun != null) {
      begun.inputs.subList(begun.committed, begun.inputs.size()).clear();
    }
  }

  /// What is needed to repeat a case; empty when it had begun before.
  synchronized Optional<Recording> recording(
      String caseId, ProgramHash program, TraceLevel level, List<TraceEvent> events) {
    @Nullable Begun begun = cases.get(caseId);
    return begun == null
        ? Optional.empty()
        : Optional.of(
            new Recording(
                program,
                begun.context,
                begun.clockMillis,
                true,
                level,
                begun.inputs,
                List.of(),
                events));
  }
}

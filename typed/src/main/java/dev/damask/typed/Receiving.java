package dev.damask.typed;

import dev.damask.task.TaskFunction;
import dev.damask.term.Signal;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.TaskResult;
import java.util.List;

/// An unnamed task after a typed signal was taken: it refuses a payload of another type, before any
/// other task reads it.
record Receiving(String signal, BoundKey<?> payload) implements TaskFunction, Access {
  static Term of(Signal<?> signal) {
    BoundKey<?> payload = BoundKey.toWrite(signal.payload());
    Term.Work work =
        new Term.Work.Pure(
            new Receiving(signal.name(), payload),
            "typed signal " + signal.name() + " -> " + payload.entry());
    return new Term.Task("", work, Written.here(), null);
  }

  @Override
  public String label() {
    return "signal " + signal;
  }

  @Override
  public TaskResult run(Context context) {
    payload.read(context);
    return context;
  }

  @Override
  public List<String> writtenKeys() {
    return List.of(payload.entry());
  }

  @Override
  public List<BoundKey<?>> reads() {
    return List.of();
  }

  @Override
  public List<BoundKey<?>> writes() {
    return List.of(payload);
  }
}

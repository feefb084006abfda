package dev.damask.typed;

import dev.damask.task.TaskFunction;
import dev.damask.task.TaskOptions;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.TaskResult;
import java.util.List;

/// An unnamed task that renames an entry around a set of instances: the `item` of an instance, the
/// value that an instance gives, the values that the set has collected.
///
/// @param isKept whether the old entry stays
record Rewrite(
    String from, String to, List<BoundKey<?>> reads, List<BoundKey<?>> writes, boolean isKept)
    implements TaskFunction, Access {
  /// Moves an entry that the machine wrote to a key.
  static Term moving(String from, BoundKey<?> to) {
    return new Rewrite(from, to.entry(), List.of(), List.of(to), false).term();
  }

  /// Copies the value of a key to an entry that the machine reads.
  static Term copying(BoundKey<?> from, String to) {
    return new Rewrite(from.entry(), to, List.of(from), List.of(), true).term();
  }

  private Term term() {
    Term.Work work = new Term.Work.Pure(this, "typed " + from + " -> " + to);
    return new Term.Task("", work, TaskOptions.DEFAULT, null);
  }

  @Override
  public TaskResult run(Context context) {
    Context moved = context.with(to, context.get(from));
    return isKept || from.equals(to) ? moved : moved.without(from);
  }

  @Override
  public List<String> writtenKeys() {
    return isKept ? List.of(to) : List.of(from, to);
  }

  @Override
  public String label() {
    return "collect";
  }
}

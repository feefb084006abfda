package dev.damask.term;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A step of process instances: the task that evaluates it, and what follows from its outcome.
///
/// The task is a function that may request effects. It runs again after every effect until it
/// returns how the evaluation ended ([dev.damask.value.StepResult.Evaluated]).
public record StepNode(String id, Term.Task task, Branch onValid, Branch onInvalid) {
  /// How the keys begin that every process is given from the context of its case, whatever the
  /// steps before it left.
  public static final String RESERVED = "__";

  /// In the context of a case: the step its first process evaluates.
  public static final String ENTRY = "__entry";

  /// In the context of a case: the greatest sum of costs; absent when there is no limit.
  public static final String COST_MAX = "__costMax";

  /// In the context of a case: how many processes may be evaluated at once; absent when there is no
  /// limit. Steps that open a join are evaluated beyond it.
  public static final String WINDOW = "__window";

  /// In the context of a process: its branch has been applied, and the process only waits for the
  /// effect that it requested with its evaluation.
  public static final String SENDING = "__sending";

  public StepNode {
    Names.require("step", id);
    if (!(task.work() instanceof Term.Work.Pure)) {
      throw new IllegalArgumentException("step " + id + ": its task is a function");
    }
    if (task.undo() != null) {
      throw new IllegalArgumentException("step " + id + ": a step cannot be undone");
    }
  }

  /// What follows from one outcome.
  ///
  /// @param join null when the children belong to the group of their parent
  public record Branch(List<String> spawns, @Nullable GroupJoin join) {
    public static final Branch NONE = new Branch(List.of(), null);

    public Branch {
      spawns = List.copyOf(spawns);
    }
  }

  /// A join of process instances: its children form a group of their own, and the target waits in
  /// the group of the parent until enough of the sources have delivered.
  ///
  /// @param kills whether the rest of the group is stopped when the join is decided
  public record GroupJoin(String target, int need, boolean kills, List<Source> from) {
    public GroupJoin {
      from = List.copyOf(from);
      if (need < 1 || need > from.size()) {
        throw new IllegalArgumentException(
            "the join at "
                + target
                + " needs from 1 to "
                + from.size()
                + " of its sources, got "
                + need);
      }
    }
  }

  /// A step whose outcome counts for a join.
  public record Source(String step, When when) {}

  /// Which outcome counts.
  public enum When {
    VALID,
    INVALID,
    ANY;

    /// Returns whether an outcome counts.
    public boolean accepts(boolean valid) {
      return this == ANY || (this == VALID) == valid;
    }
  }
}

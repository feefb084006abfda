package dev.damask.benchmarks;

import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.script;
import static dev.damask.typed.Steps.task;
import static dev.damask.typed.Steps.workflow;

import dev.damask.term.Flow;
import dev.damask.term.Term;
import dev.damask.term.Workflow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.typed.Script;
import dev.damask.typed.Step;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.util.List;

/// The workflows of [EngineFigures] with a record instead of entries.
final class TypedFlows {
  /// The data of a case.
  record Work(long n, String customer, long total) {
    Work next() {
      return new Work(n + 1, customer, total);
    }
  }

  private static final Key<Work> WORK = Key.of(Work.class);
  private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");

  static final Work START = new Work(0, "c-17", 99);

  static final Workflow<Work, Work> SEQUENCE =
      workflow(
          "seq5",
          WORK,
          WORK,
          NAMES.stream().map(each -> task(each, WORK, Work::next).as(WORK)).toArray(Step[]::new));

  static final Workflow<Work, Work> EFFECTS =
      workflow(
          "effects5",
          WORK,
          WORK,
          NAMES.stream().map(each -> effect(each, WORK, Work::next).as(WORK)).toArray(Step[]::new));

  static final Workflow<Work, Work> SCRIPT =
      workflow(
          "script5",
          WORK,
          WORK,
          script(
                  "s",
                  WORK,
                  (Work start, Script script) -> {
                    Work work = start;
                    for (String name : NAMES) {
                      Work before = work;
                      work = script.call(name, Work.class, _ -> before.next());
                    }
                    return work;
                  })
              .as(WORK));

  /// Writes the same values entry by entry.
  static final WorkflowDefinition FLAT_EFFECTS =
      Flow.workflow(
          "flat5",
          NAMES.stream().map(each -> Flow.effect(each, TypedFlows::next)).toArray(Term[]::new));

  private TypedFlows() {}

  private static Context next(Context context) {
    long n = context.get("n") instanceof Long number ? number : 0;
    return Context.of("n", n + 1, "customer", context.get("customer"))
        .with("total", context.get("total"));
  }
}

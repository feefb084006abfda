package dev.damask.typed;

import dev.damask.task.TaskOptions;
import dev.damask.term.SourceLine;
import java.util.stream.Stream;

/// The options of a task that is being written: they have the line that calls a method of [Steps].
final class Written {
  private static final SourceLine LINE =
      new SourceLine(
          Stream.of(
                  ChoiceSteps.class,
                  FlowSteps.class,
                  EffectSteps.class,
                  TaskSteps.class,
                  ScriptForms.class,
                  Steps.class,
                  TypedLeaf.class,
                  TypedTask.class,
                  TypedAction.class,
                  TypedCompute.class,
                  TypedScript.class,
                  CallStep.class,
                  ChildStep.class,
                  EachStep.class,
                  Receiving.class,
                  Written.class)
              .map(Class::getName)
              .toList());

  private Written() {}

  static TaskOptions here() {
    return TaskOptions.DEFAULT.withLine(LINE.caller());
  }
}

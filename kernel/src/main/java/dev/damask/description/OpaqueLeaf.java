package dev.damask.description;

import dev.damask.task.ChildTemplate;
import dev.damask.task.EffectFunction;
import dev.damask.task.EffectTemplate;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.InstanceCondition;
import dev.damask.task.MergeFunction;
import dev.damask.task.TaskFunction;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.TaskResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A function of a described workflow. It has the name and the declared properties of the original;
/// calling it throws `IllegalStateException`, because a description does not contain the code.
sealed interface OpaqueLeaf {
  private static IllegalStateException missing(String text) {
    return new IllegalStateException(
        "'"
            + text
            + "' is written in Java and a description does not contain it; open the engine with"
            + " the workflow");
  }

  /// A function that runs in the machine.
  record Function(String text, boolean isSlow, boolean isUndoneFromStart, List<String> writtenKeys)
      implements TaskFunction, OpaqueLeaf {
    public Function {
      writtenKeys = List.copyOf(writtenKeys);
    }

    @Override
    public TaskResult run(Context context) {
      throw missing(text);
    }
  }

  /// The request of an effect.
  record Request(String type, String text, String signature) implements EffectTemplate, OpaqueLeaf {
    @Override
    public EffectSpec specFor(Context context) {
      throw missing(text);
    }
  }

  /// The request of a child case.
  record Child(String workflow, String text, String signature)
      implements ChildTemplate, OpaqueLeaf {
    @Override
    public EffectSpec specFor(Context context) {
      throw missing(text);
    }
  }

  /// A handler that is part of the workflow.
  record Handler(String text) implements EffectFunction, OpaqueLeaf {
    @Override
    public @Nullable Object call(Context context) {
      throw missing(text);
    }
  }

  /// A condition.
  record Condition(String text) implements Guard, OpaqueLeaf {
    @Override
    public boolean test(Context context) {
      throw missing(text);
    }
  }

  /// A condition on a set of instances.
  record Enough(String text) implements InstanceCondition, OpaqueLeaf {
    @Override
    public boolean test(int done, int total, List<Context> results) {
      throw missing(text);
    }
  }

  /// An expression that depends on the context.
  record Value(String text) implements Expression, OpaqueLeaf {
    @Override
    public @Nullable Object value(Context context) {
      throw missing(text);
    }
  }

  /// A merge function.
  record Merging(String text) implements MergeFunction, OpaqueLeaf {
    @Override
    public @Nullable Object merge(String key, @Nullable Object base, List<BranchValue> values) {
      throw missing(text);
    }
  }
}

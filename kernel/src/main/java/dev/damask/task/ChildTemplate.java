package dev.damask.task;

import dev.damask.value.EffectSpec;
import java.util.Collections;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// The template of a task that starts a child case. Its requests have type `child` and a payload
/// with the keys `workflow`, and if they apply `id`, `input` and `detached`.
public interface ChildTemplate extends EffectTemplate {
  /// The effect type of every child.
  String TYPE = "child";

  /// The name of the workflow that the child runs.
  String workflow();

  /// The expression for the child's id, for people; null if the engine derives the id.
  default @Nullable Expression id() {
    return null;
  }

  /// The expressions for the child's input by key, for people; empty if there are none.
  default SortedMap<String, Expression> arguments() {
    return Collections.emptySortedMap();
  }

  /// Whether the task is known not to wait for the child.
  default boolean isDetached() {
    return false;
  }

  /// Returns [#TYPE].
  @Override
  default String type() {
    return TYPE;
  }

  /// The key of the payload that holds the workflow's name.
  String WORKFLOW = "workflow";

  /// The key of the payload that holds the child's id.
  String ID = "id";

  /// The key of the payload that holds the child's input; without it, the child gets the context of
  /// the task.
  String INPUT = "input";

  /// The key of the payload that specifies whether the child is detached.
  String DETACHED = "detached";

  /// Whether a request asks for a child.
  static boolean isChild(EffectSpec spec) {
    return spec.type().equals(TYPE) && spec.with().has(WORKFLOW);
  }
}

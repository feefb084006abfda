package dev.damask.typed;

import dev.damask.task.InstanceCondition;
import dev.damask.value.Context;
import java.util.List;
import java.util.function.Predicate;

/// A named condition on the results of instances.
record TypedCondition<T>(String label, BoundKey<T> key, Predicate<List<T>> condition)
    implements InstanceCondition {
  @Override
  public boolean test(int done, int total, List<Context> results) {
    return condition.test(
        results.stream().filter(each -> each.has(key.entry())).map(key::read).toList());
  }

  @Override
  public String text() {
    return label + " typed " + key.entry();
  }
}

package dev.damask.typed;

import dev.damask.task.Guard;
import dev.damask.value.Context;
import java.util.List;
import java.util.function.Predicate;

/// A named condition on typed keys. The name stands for the function in the program hash.
record TypedGuard(String label, List<BoundKey<?>> reads, Predicate<Context> condition)
    implements Guard, Access {
  TypedGuard {
    if (label.isBlank()) {
      throw new IllegalArgumentException(
          "a condition needs a name; without one, a changed condition would change cases"
              + " unnoticed");
    }
  }

  @Override
  public boolean test(Context context) {
    return condition.test(context);
  }

  @Override
  public String text() {
    return label + " " + Access.text("typed", reads, List.of());
  }

  @Override
  public List<BoundKey<?>> writes() {
    return List.of();
  }
}

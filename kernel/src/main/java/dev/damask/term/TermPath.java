package dev.damask.term;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Where a term is in its workflow, such as `do[1].par[0]`. Paths share their prefixes, so all
/// paths of a deep term together take linear space.
///
/// @param parent null at the root
public record TermPath(@Nullable TermPath parent, String step) {
  /// The body of the workflow.
  public static final TermPath BODY = new TermPath(null, "do");

  /// The body of a named definition.
  public static TermPath definition(String name) {
    return new TermPath(null, "definitions." + name);
  }

  /// Returns the path of a part.
  public TermPath then(String next) {
    return new TermPath(this, next);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TermPath path && toString().equals(path.toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  @Override
  public String toString() {
    Deque<String> steps = new ArrayDeque<>();
    for (TermPath path = this; path != null; path = path.parent) {
      steps.push(path.step);
    }
    return String.join("", steps);
  }
}

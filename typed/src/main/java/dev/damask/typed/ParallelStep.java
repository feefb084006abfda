package dev.damask.typed;

import dev.damask.task.MergeFunction;
import dev.damask.term.Merge;
import dev.damask.term.Term;
import dev.damask.value.Key;
import java.util.List;
import java.util.Objects;
import java.util.function.BinaryOperator;

/// Branches that all run, with a rule for keys that several of them write. Without a rule, two
/// branches must not write the same key.
public final class ParallelStep implements Step {
  private final List<Term> branches;
  private final Merge merge;

  private ParallelStep(List<Term> branches, Merge merge) {
    this.branches = branches;
    this.merge = merge;
  }

  static ParallelStep of(Step... branches) {
    return new ParallelStep(List.of(FlowSteps.terms(branches)), Merge.Standard.LAST);
  }

  /// Merges the keys that several branches write by a rule.
  public ParallelStep merge(Merge rule) {
    return new ParallelStep(branches, rule);
  }

  /// Merges a key that several branches write with a named function, in the order of the branches.
  /// For any other key the last branch wins.
  public <T> ParallelStep merge(String name, Key<T> key, BinaryOperator<T> function) {
    BoundKey<T> bound = BoundKey.toWrite(key);
    MergeFunction merging =
        (written, _, values) -> {
          if (!written.equals(bound.entry())) {
            return values.getLast().value();
          }
          return values.stream()
              .map(each -> bound.decode(Objects.requireNonNull(each.value())))
              .reduce(function)
              .map(bound::encode)
              .orElseThrow();
        };
    return merge(new Merge.Custom(name, merging));
  }

  @Override
  public Term term() {
    return new Term.Par(branches, merge);
  }
}

package dev.damask.task;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Settles a key that two or more merged branches of a join wrote, also if they wrote the same.
@FunctionalInterface
public interface MergeFunction {
  /// The value that one branch, counted from zero, wrote to the key; null when it removed it.
  record BranchValue(int branch, @Nullable Object value) {}

  /// `base` is the value at the split, null when there was none; `values` are in branch order.
  @Nullable Object merge(String key, @Nullable Object base, List<BranchValue> values);
}

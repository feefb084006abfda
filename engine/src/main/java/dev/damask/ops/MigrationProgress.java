package dev.damask.ops;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// How far a migration of many cases has come.
///
/// @param moved how many cases were moved, or could be in a dry run
/// @param refused how many cases cannot be moved; they stay in the old version
/// @param reasons how many cases each reason concerns; a case may have several
/// @param examples cases that cannot be moved, with their reasons, at most [#EXAMPLES_MAX]
/// @param isComplete whether all cases of the old version were visited
public record MigrationProgress(
    long moved,
    long refused,
    Map<String, Long> reasons,
    Map<String, List<String>> examples,
    boolean isComplete) {
  /// How many cases are listed with their reasons.
  public static final int EXAMPLES_MAX = 20;

  /// Nothing was done yet.
  public static final MigrationProgress NONE =
      new MigrationProgress(0, 0, new TreeMap<>(), new TreeMap<>(), false);

  public MigrationProgress {
    reasons = Collections.unmodifiableMap(new TreeMap<>(reasons));
    examples = Collections.unmodifiableMap(new TreeMap<>(examples));
  }

  MigrationProgress withMoved() {
    return new MigrationProgress(moved + 1, refused, reasons, examples, isComplete);
  }

  MigrationProgress withRefused(String caseId, List<String> why) {
    Map<String, Long> counts = new TreeMap<>(reasons);
    why.forEach(each -> counts.merge(each, 1L, Long::sum));
    Map<String, List<String>> listed = new TreeMap<>(examples);
    if (listed.size() < EXAMPLES_MAX) {
      listed.put(caseId, List.copyOf(why));
    }
    return new MigrationProgress(moved, refused + 1, counts, listed, isComplete);
  }

  MigrationProgress complete() {
    return new MigrationProgress(moved, refused, reasons, examples, true);
  }

  @Override
  public String toString() {
    return "%d moved, %d refused%s".formatted(moved, refused, isComplete ? "" : ", stopped");
  }
}

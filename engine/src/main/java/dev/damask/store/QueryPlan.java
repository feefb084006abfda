package dev.damask.store;

import dev.damask.attribute.FactIndex;
import dev.damask.attribute.FactIndex.Entry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntBiFunction;

/// Which entries of a [FactIndex] a query with conditions walks. Conditions that one value alone
/// meets are walked together in the order of start and id, which visits no more entries than the
/// smallest of them has. Otherwise one range of values is walked.
///
/// @param range the number of the range that is walked; -1 if single values are
public record QueryPlan(List<Source> single, List<Source> ranges, int range) {
  /// How many entries are counted before two large indexes count as equally large.
  private static final int COUNTED_MAX = 1 << 16;

  private static final int COUNTED_FIRST = 1 << 8;
  private static final int COUNTED_FACTOR = 8;

  /// The entries of a name from a key on and before another.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Source(String name, byte[] from, byte[] to) {
    boolean contains(Entry entry) {
      return Arrays.compareUnsigned(entry.key(), to) < 0;
    }
  }

  /// Chooses a plan.
  ///
  /// @param hasStatus whether there are entries by status
  /// @param count counts the entries of a source up to a limit
  public static QueryPlan of(
      CaseQuery query, boolean hasStatus, ToIntBiFunction<Source, Integer> count) {
    QueryPlan plan = sources(query, hasStatus);
    if (!query.after().isEmpty()) {
      return plan.walking(QueryCursor.range(query.after(), plan.ranges.size()));
    }
    if (plan.ranges.isEmpty()) {
      return plan;
    }
    if (plan.single.isEmpty() && plan.ranges.size() == 1) {
      return plan.walking(0);
    }
    return plan.walking(plan.smallest(count));
  }

  private static QueryPlan sources(CaseQuery query, boolean hasStatus) {
    List<Source> single = new ArrayList<>();
    List<Source> ranges = new ArrayList<>();
    CaseStatus status = query.status();
    if (status != null && hasStatus) {
      byte number = (byte) status.number();
      single.add(
          new Source(FactIndex.STATUS, new byte[] {number}, new byte[] {(byte) (number + 1)}));
    }
    for (CaseQuery.Condition each : query.conditions()) {
      Source source = new Source(each.name(), each.match().from(), each.match().to());
      (each.match().isOne() ? single : ranges).add(source);
    }
    return new QueryPlan(single, ranges, -1);
  }

  private QueryPlan walking(int chosen) {
    return new QueryPlan(single, ranges, chosen);
  }

  /// The number of the smallest range, or -1 if the single values are not larger.
  private int smallest(ToIntBiFunction<Source, Integer> count) {
    for (int limit = COUNTED_FIRST; limit <= COUNTED_MAX; limit *= COUNTED_FACTOR) {
      int best = -1;
      int fewest = limit;
      for (Source each : single) {
        fewest = Math.min(fewest, count.applyAsInt(each, fewest));
      }
      for (int i = 0; i < ranges.size(); i++) {
        int found = count.applyAsInt(ranges.get(i), fewest);
        if (found < fewest) {
          best = i;
          fewest = found;
        }
      }
      if (fewest < limit) {
        return best;
      }
    }
    return single.isEmpty() ? 0 : -1;
  }
}

package dev.damask.trace;

import dev.damask.event.TraceEvent;
import java.util.List;
import java.util.Optional;

/// The first place at which two traces differ.
public record TraceDiff(int position, String expected, String actual) {
  static final String END = "the end";

  /// Returns the first difference between two traces; empty if they are equal.
  public static Optional<TraceDiff> first(List<TraceEvent> expected, List<TraceEvent> actual) {
    int common = Math.min(expected.size(), actual.size());
    for (int i = 0; i < common; i++) {
      if (!expected.get(i).equals(actual.get(i))) {
        return Optional.of(new TraceDiff(i, expected.get(i).toString(), actual.get(i).toString()));
      }
    }
    if (expected.size() == actual.size()) {
      return Optional.empty();
    }
    String more = expected.size() > common ? expected.get(common).toString() : END;
    String less = actual.size() > common ? actual.get(common).toString() : END;
    return Optional.of(new TraceDiff(common, more, less));
  }

  @Override
  public String toString() {
    return "event " + position + ": expected " + expected + ", actual " + actual;
  }
}

package dev.damask.scenario;

import dev.damask.task.TaskAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// An observed event of a case, such as `A[2]#1+`.
///
/// @param task the name of the task, or `join` for an abandoned join
/// @param text the observation as it is written
public record Observation(String task, Kind kind, String text) {
  /// The kind of event.
  public enum Kind {
    STARTED("+"),
    COMPLETED("-"),
    WITHDRAWN("×"),
    FAILED("!"),
    PARKED("?"),
    RAN(""),
    GIVEN_UP("⊘");

    private final String mark;

    Kind(String mark) {
      this.mark = mark;
    }

    /// Returns the mark at the end of an observation of this kind.
    public String mark() {
      return mark;
    }
  }

  /// Parses an observation. Empty if the text is not an observation.
  public static Optional<Observation> parse(String text) {
    if (text.equals("join⊘")) {
      return Optional.of(new Observation("join", Kind.GIVEN_UP, text));
    }
    for (Kind kind : Kind.values()) {
      if (kind == Kind.GIVEN_UP || !text.endsWith(kind.mark())) {
        continue;
      }
      String address = text.substring(0, text.length() - kind.mark().length());
      Optional<TaskAddress> task =
          TaskAddress.parse(address).filter(found -> found.execution() > 0);
      if (task.isPresent()) {
        return Optional.of(new Observation(task.get().task(), kind, text));
      }
    }
    return Optional.empty();
  }

  /// Returns observations in the order of their task names. Those of one task keep their order.
  public static List<String> sorted(List<String> observations) {
    List<String> copy = new ArrayList<>(observations);
    copy.sort(Comparator.comparing(Observation::taskOf));
    return copy;
  }

  private static String taskOf(String observation) {
    int end = observation.length();
    for (char mark : new char[] {'[', '#', '⊘'}) {
      int at = observation.indexOf(mark);
      end = at >= 0 ? Math.min(end, at) : end;
    }
    return observation.substring(0, end);
  }

  @Override
  public String toString() {
    return text;
  }
}

package dev.damask.document;

import java.util.Optional;

/// Something seen of a case, such as `A[2]#1+`.
///
/// @param task the name, or `join` for a join that was given up
/// @param text the whole as it is written
public record Observation(String task, Kind kind, String text) {
  /// What became of the task.
  public enum Kind {
    STARTED("+"),
    COMPLETED("-"),
    WITHDRAWN("×"),
    FAILED("!"),
    RAN(""),
    GIVEN_UP("⊘");

    private final String mark;

    Kind(String mark) {
      this.mark = mark;
    }

    public String mark() {
      return mark;
    }
  }

  /// Reads an observation; empty when the text is none.
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

  @Override
  public String toString() {
    return text;
  }
}

package dev.damask.json;

import java.util.Objects;

/// Thrown when a string is not valid JSON or exceeds a limit. The message does not repeat the
/// position.
public final class JsonProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Position at;
  private final String path;

  /// Creates a problem at a position and a path.
  public JsonProblem(Position at, String path, String message) {
    super(message, null, false, false);
    this.at = at;
    this.path = path;
  }

  /// Returns the line and column of the problem.
  public Position at() {
    return Objects.requireNonNull(at);
  }

  /// Returns the path of the value that was being read, such as `do[1].name`. Empty for the whole
  /// text.
  public String path() {
    return path;
  }

  /// Returns the description of the problem.
  public String sentence() {
    return Objects.requireNonNull(getMessage());
  }
}

package dev.damask.cli.command;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Thrown if a server reports why it did not fulfil a request.
public final class ServerProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final transient Map<String, @Nullable Object> fields;

  ServerProblem(int status, String detail, Map<String, @Nullable Object> fields) {
    super(detail, null, false, false);
    this.status = status;
    this.fields = fields;
  }

  /// Returns the HTTP status.
  public int status() {
    return status;
  }

  /// Returns a field of the report; null if it has none of this name.
  public @Nullable Object get(String name) {
    return fields.get(name);
  }

  /// Returns what is wrong as a refusal.
  public Refusal refusal() {
    return new Refusal(String.valueOf(getMessage()));
  }
}

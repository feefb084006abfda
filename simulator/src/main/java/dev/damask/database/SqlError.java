package dev.damask.database;

/// An error that the virtual database reports to its client.
final class SqlError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final String SERIALIZATION = "40001";
  static final String DEADLOCK = "40P01";
  static final String LOCK_TIMEOUT = "55P03";
  static final String UNIQUE = "23505";
  static final String TERMINATED = "57P01";
  static final String IDLE_TIMEOUT = "25P03";
  static final String ABORTED = "25P02";
  static final String ACTIVE = "25001";
  static final String BROKEN = "08006";
  static final String REFUSED = "08001";
  static final String SYNTAX = "42601";
  static final String NO_FUNCTION = "42883";
  static final String NO_TABLE = "42P01";

  private final String state;

  SqlError(String state, String message) {
    super(message);
    this.state = state;
  }

  /// Returns whether the virtual database does not know something that the statement says.
  boolean isGap() {
    return state.equals(SYNTAX) || state.equals(NO_FUNCTION);
  }

  String state() {
    return state;
  }
}

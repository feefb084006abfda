package dev.damask.store.postgres;

import dev.damask.store.StoreException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/// The meaning of the errors that the driver and the server report.
final class PostgresErrors {
  static final String LOCK_TIMEOUT = "55P03";
  private static final String UNIQUE_VIOLATION = "23505";
  private static final String CONNECTION = "08";
  private static final String UNREACHABLE = "08001";
  private static final String OPERATOR_INTERVENTION = "57";
  private static final String INTERNAL = "XX";
  private static final String SYSTEM = "58";
  private static final String ROLLBACK = "40";
  private static final String RESOURCES = "53";
  private static final String READ_ONLY = "25006";
  private static final String NOT_SUPPORTED = "0A000";
  private static final int CAUSES_MAX = 10;

  private PostgresErrors() {}

  /// Returns the exception for a statement that failed.
  ///
  /// @param what the action, for example `store postgresql://db/damask: cannot open`
  static StoreException failure(String what, SQLException e) {
    SQLException reason = reason(e);
    String state = reason.getSQLState() == null ? "" : reason.getSQLState();
    String advice =
        switch (state) {
          case "08001", "08004" -> "; check host and port of the URL and that the server runs";
          case "28P01", "28000" -> "; check user and password";
          case "3D000" -> "; create the database or correct its name in the URL";
          case "42501" -> "; grant the role the right, or use the role that created the schema";
          case "53100" -> "; free disk space on the database server";
          case "53300" -> "; raise max_connections or use fewer connections";
          case "57P03" -> "; the server is starting or stopping, try again";
          case "25006" -> "; connect to the primary server, not to a read-only standby";
          default -> "";
        };
    String message = firstLine(e);
    if (reason != e && !message.contains(firstLine(reason))) {
      message += ": " + firstLine(reason);
    }
    if (state.equals(UNREACHABLE) && reason.getCause() instanceof UnknownHostException unknown) {
      message += ": unknown host '" + unknown.getMessage() + "'";
    } else if (state.equals(UNREACHABLE) && reason.getCause() instanceof SocketTimeoutException) {
      message += ": it took too long";
    }
    return new StoreException(what + ": " + message + advice, e);
  }

  /// Returns the first line of a message, without the advice of the driver and the full stop.
  private static String firstLine(SQLException e) {
    String line = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    int end = UNREACHABLE.equals(e.getSQLState()) ? line.indexOf(". ") : -1;
    String sentence = end < 0 ? line : line.substring(0, end);
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }

  /// Returns the message of the server or the driver. A pool that cannot connect reports that it
  /// waited too long, with the reason as its cause.
  private static SQLException reason(SQLException e) {
    SQLException found = e;
    Throwable cause = e.getCause();
    for (int depth = 0; cause != null && depth < CAUSES_MAX; depth++) {
      if (cause instanceof SQLException inner && inner.getSQLState() != null) {
        found = inner;
      }
      cause = cause.getCause();
    }
    return found;
  }

  /// Returns whether COMMIT may have happened although it reported this error. An error of a class
  /// that the server reports about the transaction itself is a certain rollback.
  static boolean isInDoubt(SQLException e) {
    String state = e.getSQLState();
    return state == null
        || state.startsWith(CONNECTION)
        || state.startsWith(OPERATOR_INTERVENTION)
        || state.startsWith(SYSTEM)
        || state.startsWith(INTERNAL)
        || isTimeoutOfSession(state);
  }

  /// Returns whether a transaction that failed before COMMIT was sent should be repeated unchanged:
  /// the database was away, ended the session, resolved a conflict at the cost of this transaction,
  /// or was a standby, to which a name may lead for a moment during a failover.
  static boolean isTransient(SQLException e) {
    String state = e.getSQLState();
    return isInDoubt(e)
        || isStandby(e)
        || (state != null
            && (state.startsWith(ROLLBACK)
                || state.startsWith(RESOURCES)
                || state.equals(LOCK_TIMEOUT)));
  }

  private static boolean isStandby(SQLException e) {
    return READ_ONLY.equals(e.getSQLState())
        || (NOT_SUPPORTED.equals(e.getSQLState()) && firstLine(e).contains("during recovery"));
  }

  /// Returns whether the server ended the session because it was idle or took too long in a
  /// transaction.
  private static boolean isTimeoutOfSession(String state) {
    return state.equals("25P03") || state.equals("25P04");
  }

  static boolean isUnique(@Nullable String state) {
    return UNIQUE_VIOLATION.equals(state);
  }
}

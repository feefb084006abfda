package dev.damask.store.postgres;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/// How a node uses its database. Start from [#DEFAULT] and change single values with the `with`
/// methods; each returns a new set of options.
///
/// @param schema the database schema that holds the cluster's tables
/// @param lease how long a node's counter must stand still before another node takes over
/// @param address where people find this node; shown by `damask nodes`, never connected to
/// @param canLoseData whether a server is accepted that loses committed data in a crash
/// @param nanoTime the node's monotonic clock
/// @param replyTime how long a caller waits until the owner of a case has applied its message
public record PostgresOptions(
    String schema,
    Duration lease,
    String address,
    boolean canLoseData,
    LongSupplier nanoTime,
    Duration replyTime) {
  private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");
  private static final Duration LEASE_MIN = Duration.ofMillis(300);

  /// The schema `damask` and a lease of six seconds.
  public static final PostgresOptions DEFAULT =
      new PostgresOptions(
          "damask",
          Duration.ofSeconds(6),
          "process " + ProcessHandle.current().pid(),
          false,
          System::nanoTime,
          Duration.ofSeconds(30));

  public PostgresOptions {
    if (!NAME.matcher(schema).matches()) {
      throw new IllegalArgumentException(
          "schema must have 1 to 63 lower case letters, digits and underscores and not begin with"
              + " a digit, got '"
              + schema
              + "'");
    }
    if (lease.compareTo(LEASE_MIN) < 0) {
      throw new IllegalArgumentException(
          "lease must be at least " + LEASE_MIN.toMillis() + " ms, got " + lease.toMillis());
    }
  }

  /// Sets the database schema that holds the cluster's tables. All nodes of a cluster must use the
  /// same one.
  public PostgresOptions withSchema(String value) {
    return new PostgresOptions(value, lease, address, canLoseData, nanoTime, replyTime);
  }

  /// Sets how long a node's counter must stand still before another node takes over. At least 300
  /// ms.
  public PostgresOptions withLease(Duration value) {
    return new PostgresOptions(schema, value, address, canLoseData, nanoTime, replyTime);
  }

  /// Sets the text that `damask nodes` shows for this node. Nothing connects to it.
  public PostgresOptions withAddress(String value) {
    return new PostgresOptions(schema, lease, value, canLoseData, nanoTime, replyTime);
  }

  /// Accepts a server with `fsync` or `full_page_writes` off. A crash of that server can lose or
  /// corrupt acknowledged changes.
  public PostgresOptions withServerThatCanLoseData() {
    return new PostgresOptions(schema, lease, address, true, nanoTime, replyTime);
  }

  /// Replaces the monotonic clock, for tests and simulators.
  public PostgresOptions withNanoTime(LongSupplier value) {
    return new PostgresOptions(schema, lease, address, canLoseData, value, replyTime);
  }

  /// Sets how long a caller waits until the owner of a case has applied its message. Then it learns
  /// that the message is accepted, not yet applied.
  public PostgresOptions withReplyTime(Duration value) {
    return new PostgresOptions(schema, lease, address, canLoseData, nanoTime, value);
  }
}

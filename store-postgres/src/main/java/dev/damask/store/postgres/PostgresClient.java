package dev.damask.store.postgres;

import dev.damask.cluster.CaseMessage;
import dev.damask.cluster.PolledMessages;
import dev.damask.sql.ClusterIdentity;
import dev.damask.sql.InboxMessage;
import dev.damask.sql.NodeConnections;
import dev.damask.sql.SqlText;
import dev.damask.store.MessageReply;
import dev.damask.store.StoreException;
import dev.damask.store.postgres.FencedCommit.SqlFunction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/// Sends messages to cases of a cluster from a process that owns nothing.
///
/// Thread-safe. It holds no connection between calls.
public final class PostgresClient {
  private static final long PAUSE_MIN_MILLIS = 2;
  private static final long PAUSE_MAX_MILLIS = 100;
  private static final int POOLED_MAX = 100;

  private final DataSource source;
  private final PostgresInbox inbox;
  private final String schema;

  private PostgresClient(DataSource source, PostgresInbox inbox, String schema) {
    this.source = source;
    this.inbox = inbox;
    this.schema = schema;
  }

  /// Connects to a cluster. Throws [StoreException] if the server or the schema does not fit.
  public static PostgresClient open(DataSource source, PostgresOptions options) {
    SqlText sql = new SqlText(options.schema());
    try (Connection connection = source.getConnection()) {
      connection.setAutoCommit(true);
      ServerCheck.require(connection, options);
      ClusterIdentity cluster = PostgresSchema.require(connection, sql);
      return new PostgresClient(
          source, new PostgresInbox(sql, cluster.lockClass()), options.schema());
    } catch (SQLException e) {
      throw PostgresErrors.failure("schema " + options.schema() + ": cannot connect", e);
    }
  }

  /// Returns a message id that no other message has.
  public static String newMessageId() {
    return UUID.randomUUID().toString();
  }

  /// Accepts a message. When this method returns, the message will not be lost; it is not applied
  /// yet. Sending it again under the same id is safe, also when this method threw.
  public void send(CaseMessage message) {
    try {
      run(connection -> {
        connection.setAutoCommit(true);
        inbox.accept(connection, List.of(InboxMessage.of(message)));
        inbox.wake(connection);
        return true;
      });
    } catch (SQLException e) {
      throw PostgresErrors.failure(
          "schema %s: case %s: message %s may not be accepted, send it again"
              .formatted(schema, message.caseId(), message.messageId()),
          e);
    }
  }

  /// Runs work that may be repeated. Sessions of the pool that have ended are passed over, for
  /// example after a restart of the server.
  private <T> T run(SqlFunction<T> work) throws SQLException {
    for (int left = POOLED_MAX; ; left--) {
      try (Connection connection = source.getConnection()) {
        try {
          return work.apply(connection);
        } catch (SQLException e) {
          // A pool closes its connection when the session has ended, and what follows hides why.
          boolean isGone = NodeConnections.isGone(e) || connection.isClosed();
          if (!isGone || left == 0) {
            throw e;
          }
        }
      }
    }
  }

  /// Waits until the owner has applied a message and returns its reply. Empty if the message is
  /// accepted and not yet applied when the time is up.
  public Optional<MessageReply> await(String caseId, String messageId, Duration time)
      throws InterruptedException {
    CountDownLatch pause = new CountDownLatch(1);
    long end = System.nanoTime() + time.toNanos();
    long millis = PAUSE_MIN_MILLIS;
    while (true) {
      Optional<MessageReply> reply = reply(caseId, messageId);
      if (reply.isPresent() || System.nanoTime() - end >= 0) {
        return reply;
      }
      pause.await(millis, TimeUnit.MILLISECONDS);
      millis = Math.min(2 * millis, PAUSE_MAX_MILLIS);
    }
  }

  private Optional<MessageReply> reply(String caseId, String messageId) {
    PolledMessages.Key key = new PolledMessages.Key(caseId, messageId);
    try {
      return run(connection -> {
        connection.setAutoCommit(true);
        return Optional.ofNullable(inbox.replies(connection, List.of(key)).get(key));
      });
    } catch (SQLException e) {
      throw PostgresErrors.failure("schema " + schema + ": cannot read replies", e);
    }
  }
}

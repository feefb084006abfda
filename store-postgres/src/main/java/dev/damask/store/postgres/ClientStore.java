package dev.damask.store.postgres;

import dev.damask.cluster.CaseChanges;
import dev.damask.cluster.CaseMessage;
import dev.damask.cluster.CommitId;
import dev.damask.cluster.DatabaseClock;
import dev.damask.cluster.SharedStore;
import dev.damask.cluster.SlotOwner;
import dev.damask.effect.PermitAnswer;
import dev.damask.effect.PermitNeed;
import dev.damask.effect.RateNeed;
import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.ErrorPolicy;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.nursery.ThreadKind;
import dev.damask.ops.TaskClaims;
import dev.damask.program.ProgramHash;
import dev.damask.sql.ClusterIdentity;
import dev.damask.sql.NodeConnections;
import dev.damask.sql.SqlText;
import dev.damask.store.CommitBatch;
import dev.damask.store.MessageReply;
import dev.damask.store.RowChange;
import dev.damask.store.StoreException;
import dev.damask.store.TableRow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;

/// The store of an engine that owns nothing. It reads cases, sends messages to their owners, and
/// writes programs and rows beside the cases.
final class ClientStore extends PostgresReading implements SharedStore {

  private final Duration replyTime;
  private final NodeConnections connections;
  private final SqlText sql;
  private final PostgresReads reads;
  private final Outbox outbox;
  private final DatabaseClock clock;
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final Nursery nursery =
      Nursery.open(NurseryOptions.named("client").withPolicy(ErrorPolicy.SUPERVISE));

  private ClientStore(NodeConnections connections, PostgresOptions options, Opened opened) {
    this.replyTime = options.replyTime();
    this.connections = connections;
    this.sql = new SqlText(options.schema());
    this.reads = new PostgresReads(connections, sql);
    this.clock = new DatabaseClock(opened.millis, System.nanoTime());
    this.outbox =
        new Outbox(
            new PostgresInbox(sql, opened.cluster.lockClass()), connections, options.replyTime());
    ChildOptions daemon = ChildOptions.named("outbox").withThread(ThreadKind.PLATFORM_DAEMON);
    nursery.launch(daemon, _ -> outbox.runSender());
    nursery.launch(daemon, _ -> outbox.runPoller());
  }

  /// What is read when the store is opened.
  private record Opened(ClusterIdentity cluster, String role, long millis) {}

  static ClientStore open(DataSource source, PostgresOptions options) {
    SqlText sql = new SqlText(options.schema());
    try (Connection connection = source.getConnection()) {
      connection.setAutoCommit(true);
      ServerCheck.require(connection, options);
      ClusterIdentity cluster = PostgresSchema.require(connection, sql);
      Opened opened;
      try (Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "select current_user,"
                      + " (extract(epoch from clock_timestamp()) * 1000)::int8")) {
        row.next();
        opened = new Opened(cluster, row.getString(1), row.getLong(2));
      }
      return new ClientStore(
          new NodeConnections(source, sql, cluster, opened.role, 0), options, opened);
    } catch (SQLException e) {
      throw PostgresErrors.failure("schema " + options.schema() + ": cannot connect", e);
    }
  }

  @Override
  public int node() {
    return 0;
  }

  @Override
  public boolean owns(String caseId) {
    return false;
  }

  @Override
  public Duration replyTime() {
    return replyTime;
  }

  @Override
  public boolean mayWork() {
    return true;
  }

  @Override
  public long millis() {
    return clock.millis(System.nanoTime());
  }

  @Override
  public long nanosUntil(long millis) {
    return clock.nanosUntil(millis, System.nanoTime());
  }

  @Override
  public void serve(SlotOwner owner) {
    // It never owns anything.
  }

  @Override
  public void leaveSlots() {
    // It never has any.
  }

  @Override
  public void giveUp() {
    // A client owns nothing.
  }

  @Override
  public void retire() {
    // There is nothing to stop.
  }

  @Override
  public CompletableFuture<MessageReply> send(CaseMessage message) {
    requireOpen();
    return outbox.send(message);
  }

  @Override
  public CompletableFuture<Void> awaitEnd(String caseId) {
    requireOpen();
    return outbox.awaitEnd(caseId);
  }

  @Override
  public CaseChanges changes() {
    return new PostgresChanges(this::reads);
  }

  @Override
  public TaskClaims claims() {
    return new PostgresClaims(this::reads);
  }

  @Override
  public boolean claim(String type, String key, String caseId, long effect) {
    throw new IllegalStateException("a client calls no effect, got one of case " + caseId);
  }

  @Override
  public void unclaim(String type, String key, String caseId, long effect) {
    throw new IllegalStateException("a client calls no effect, got one of case " + caseId);
  }

  @Override
  public List<PermitAnswer> borrow(List<PermitNeed> needs) {
    throw new IllegalStateException("a client calls no effect, got " + needs);
  }

  @Override
  public int begin(RateNeed need) {
    throw new IllegalStateException("a client calls no effect, got one of type " + need.type());
  }

  @Override
  public CompletableFuture<Void> replace(
      String kind, String key, long version, Optional<TableRow> expected, List<RowChange> changes) {
    requireOpen();
    try {
      new RowReplacement(connections, sql, replyTime, () -> !isClosed.get())
          .run(new RowReplacement.Name(kind, key, version), expected, changes);
      return CompletableFuture.completedFuture(null);
    } catch (StoreException | IllegalStateException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public void hold(CaseMessage message, String why) {
    throw new IllegalStateException("a client receives no messages");
  }

  @Override
  public void retryHeld() {
    throw new IllegalStateException("a client receives no messages");
  }

  @Override
  public void showPrograms(Supplier<Set<ProgramHash>> known) {
    // It moves no case.
  }

  @Override
  public void redeliver(CaseMessage message) {
    throw new IllegalStateException("a client receives no messages");
  }

  /// Writes programs and rows; they belong to no slot. The nodes can; a client has no handlers.
  @Override
  public boolean joinsTransactions() {
    return true;
  }

  @Override
  public CompletableFuture<Void> commit(CommitBatch batch) {
    if (!batch.cases().isEmpty() || !batch.removals().isEmpty() || !batch.applied().isEmpty()) {
      return CompletableFuture.failedFuture(
          new StoreException("a client owns no case and cannot change one"));
    }
    RowChanges rows = new RowChanges(new CommitId(0, 0, 0));
    try (Connection connection = connections.take()) {
      rows.add(batch, RowChanges.ANY);
      connection.setAutoCommit(false);
      try {
        NodeLocks.begin(connection);
        new RowWriter(sql).write(connection, rows);
        connection.commit();
      } finally {
        connection.rollback();
        connection.setAutoCommit(true);
      }
      return CompletableFuture.completedFuture(null);
    } catch (SQLException e) {
      return CompletableFuture.failedFuture(
          PostgresErrors.failure("schema " + sql.schema() + ": cannot write", e));
    }
  }

  @Override
  public long epoch() {
    return 0;
  }

  @Override
  public List<DueCase> due(DueCase after, int limit) {
    return List.of();
  }

  @Override
  public void scanActive(Consumer<String> action) {
    // It owns none.
  }

  @Override
  public void moving(int shard, String caseId) {
    throw new IllegalStateException("a client moves no case, got " + caseId);
  }

  @Override
  public List<String> suspects() {
    return List.of();
  }

  @Override
  PostgresReads reads() {
    return reads;
  }

  @Override
  void requireOpen() {
    if (isClosed.get()) {
      throw new StoreException("the store is closed");
    }
  }

  @Override
  public void close() {
    if (isClosed.compareAndSet(false, true)) {
      outbox.close();
      nursery.seal();
      nursery.close();
      outbox.release();
    }
  }
}

package dev.damask.store.postgres;

import dev.damask.cluster.CommitId;
import dev.damask.cluster.DatabaseClock;
import dev.damask.cluster.HeartbeatJudge;
import dev.damask.cluster.OwnLease;
import dev.damask.cluster.PolledMessages;
import dev.damask.cluster.SlotOwner;
import dev.damask.cluster.SlotPlan;
import dev.damask.cluster.Slots;
import dev.damask.program.ProgramHash;
import dev.damask.sql.ClusterIdentity;
import dev.damask.sql.CommitOutcome;
import dev.damask.sql.NodeConnections;
import dev.damask.sql.NodePoll;
import dev.damask.sql.NodeState;
import dev.damask.sql.PollStatement;
import dev.damask.sql.ReservedConnection;
import dev.damask.sql.Roster;
import dev.damask.sql.SqlText;
import dev.damask.store.StoreException;
import dev.damask.store.postgres.FencedCommit.SqlFunction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import javax.sql.DataSource;

/// One node of a cluster: its row, its heartbeat, its slots. It has no thread; the code that holds
/// it polls every half second and reacts to what the poll finds.
///
/// `poll` is called by one thread. Ownership changes are called by another thread, because they may
/// wait for locks while the heartbeat must continue. Commits come from any thread.
final class PostgresNode implements AutoCloseable {
  private final SqlText sql;
  private final PostgresOptions options;
  private final NodeLocks locks;
  private final OwnershipChanges changes;
  private final NodeConnections connections;
  private final ReservedConnection heartbeat;
  private final ReservedConnection ownership;
  private final ExclusiveTransactions exclusive;
  private final FencedCommit commits;
  private final HeartbeatJudge judge;
  private final OwnLease lease;
  private final DatabaseClock clock;
  private final PollStatement pollStatement;
  private final AtomicLong numbers = new AtomicLong();
  private final int id;

  private volatile NodeState state; // replaced under this, by newer states only
  private volatile boolean isFenced; // once true it stays true
  private volatile Set<Integer> living = Set.of(); // replaced under this
  private boolean hasLost; // whether a node has gone since the last poll; guarded by this

  private PostgresNode(
      DataSource source, PostgresOptions options, ClusterIdentity cluster, Joined joined)
      throws SQLException {
    this.sql = new SqlText(options.schema());
    this.options = options;
    this.id = joined.node;
    this.locks = new NodeLocks(sql, cluster.lockClass());
    this.changes = new OwnershipChanges(sql);
    this.connections = new NodeConnections(source, sql, cluster, joined.role, joined.node);
    this.heartbeat = new ReservedConnection(connections);
    this.ownership = new ReservedConnection(connections);
    this.exclusive = new ExclusiveTransactions(locks, ownership);
    this.commits = new FencedCommit(locks);
    long leaseNanos = options.lease().toNanos();
    this.judge = new HeartbeatJudge(leaseNanos);
    this.lease = new OwnLease(leaseNanos, joined.atNanos);
    this.pollStatement = new PollStatement(sql, id);
    Connection connection = heartbeat.get();
    this.state = Roster.state(connection, sql, id);
    ownership.get();
    long millis = databaseMillis(connection);
    this.clock = new DatabaseClock(millis, options.nanoTime().getAsLong());
  }

  private record Joined(int node, String role, long atNanos) {}

  /// Adds a node to the cluster. Throws [StoreException] if the server or the schema does not fit.
  static PostgresNode join(DataSource source, PostgresOptions options) {
    return join(source, options, PostgresSchema.VERSION);
  }

  /// Adds a node of another version, as above.
  static PostgresNode join(DataSource source, PostgresOptions options, int version) {
    SqlText sql = new SqlText(options.schema());
    try {
      ClusterIdentity cluster;
      String role;
      try (Connection connection = source.getConnection()) {
        connection.setAutoCommit(true);
        ServerCheck.require(connection, options);
        cluster = PostgresSchema.require(connection, sql, version, version);
        role = role(connection);
      }
      ServerCheck.requireSessions(source);
      long atNanos = options.nanoTime().getAsLong();
      NodeLocks locks = new NodeLocks(sql, cluster.lockClass());
      NodeConnections unregistered = new NodeConnections(source, sql, cluster, role, 0);
      try (ReservedConnection reserved = new ReservedConnection(unregistered)) {
        int node =
            new ExclusiveTransactions(locks, reserved)
                .cluster(c -> new OwnershipChanges(sql).join(c, options.address(), role, version));
        return new PostgresNode(source, options, cluster, new Joined(node, role, atNanos));
      }
    } catch (SQLException e) {
      throw PostgresErrors.failure("schema " + options.schema() + ": cannot join the cluster", e);
    } catch (NodeLocks.FencedException e) {
      throw new IllegalStateException("a node that joins cannot be fenced", e);
    }
  }

  private static String role(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select current_user")) {
      row.next();
      return row.getString(1);
    }
  }

  static long databaseMillis(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("select (extract(epoch from clock_timestamp()) * 1000)::int8")) {
      row.next();
      return row.getLong(1);
    }
  }

  int id() {
    return id;
  }

  /// Returns the class of the cluster's locks.
  int lockClass() {
    return locks.lockClass();
  }

  long epoch() {
    return state.epoch();
  }

  /// Returns whether the node believes that it owns the slot of a case. Only the fence proves it.
  boolean owns(String caseId) {
    return state.slots().get(Slots.of(caseId));
  }

  int slotCount() {
    return state.slots().cardinality();
  }

  /// Returns whether the node may move cases and call effects: it is not fenced, and it has raised
  /// its counter within two thirds of a lease.
  boolean mayWork() {
    return !isFenced && lease.mayWork(options.nanoTime().getAsLong());
  }

  /// Returns whether [#mayWork] was false for a caller since the last call.
  boolean takeRefused() {
    return lease.takeRefused();
  }

  /// Returns the database's time.
  long millis() {
    return clock.millis(options.nanoTime().getAsLong());
  }

  /// Returns how long to wait until the database's clock shows a time.
  long nanosUntil(long millis) {
    return clock.nanosUntil(millis, options.nanoTime().getAsLong());
  }

  /// Reads the counters of the other nodes that own slots, outside of a poll.
  Map<Integer, Long> counters() throws SQLException {
    Map<Integer, Long> counters = new TreeMap<>();
    Roster roster = Roster.read(heartbeat.get(), sql);
    for (int owner : roster.owners()) {
      Roster.Member member = roster.node(owner);
      if (member != null && owner != id && !member.isFenced()) {
        counters.put(owner, member.counter());
      }
    }
    return counters;
  }

  NodeConnections connections() {
    return connections;
  }

  /// Reads in one round trip whether the node is fenced, the other nodes' counters, the database's
  /// clock and the inbox, and raises the node's own counter every third of a lease.
  NodePoll poll(int inboxMax) throws SQLException {
    return poll(inboxMax, _ -> false);
  }

  /// As above.
  ///
  /// @param isKnown whether the bytes of a message need not be read
  NodePoll poll(int inboxMax, Predicate<PolledMessages.Key> isKnown) throws SQLException {
    long sent = options.nanoTime().getAsLong();
    boolean raises = lease.isRaiseDue(sent);
    PollStatement.Found found;
    Connection connection = heartbeat.get();
    try {
      found = pollStatement.run(connection, raises, inboxMax, isKnown);
    } catch (SQLException | RuntimeException e) {
      rollback(connection, e);
      heartbeat.discard();
      throw e;
    }
    long received = options.nanoTime().getAsLong();
    clock.read(found.databaseMillis(), received);
    if (found.isFenced()) {
      isFenced = true;
      PollStatement.Rows none = new PollStatement.Rows("", false, false);
      return new NodePoll(
          true, Map.of(), false, false, false, PollStatement.Inbox.EMPTY, Map.of(), none);
    }
    if (raises) {
      lease.raised(sent);
    }
    boolean isLost = living(Set.copyOf(found.counters().keySet()));
    boolean isChanged = found.ownership() != state.ownership();
    if (isChanged) {
      learn(Roster.state(connection, sql, id));
    }
    return new NodePoll(
        false,
        judge.read(sent, received, found.counters()),
        found.hasOrphans(),
        isChanged,
        isLost,
        found.inbox(),
        found.answered(),
        found.rows());
  }

  /// Ends a transaction that the driver does not know of, so that the pool gets no connection that
  /// refuses every statement.
  private static void rollback(Connection connection, Exception cause) {
    try (Statement statement = connection.createStatement()) {
      statement.execute("rollback");
    } catch (SQLException e) {
      cause.addSuppressed(e); // the connection is broken
    }
  }

  private synchronized void learn(NodeState read) {
    if (read.epoch() == 0) {
      isFenced = true;
    } else if (read.isNewerThan(state)) {
      state = read;
    }
  }

  /// Fences a node that a poll reported as dead and distributes its slots. Returns false if the
  /// node is alive after all.
  boolean takeOver(int dead, long counter) throws SQLException {
    boolean isDone =
        change(
            dead,
            c -> {
              boolean isTaken = changes.takeOver(c, id, dead, counter, millis());
              if (isTaken) {
                locks.terminateHandlers(c, dead, NodeLocks.ALL);
              }
              return isTaken;
            });
    if (isDone) {
      gone(dead);
    }
    return isDone;
  }

  /// Fences this node, whose engine has stopped, and distributes its slots.
  void surrender() throws SQLException {
    change(
        id,
        c -> {
          changes.surrender(c, id, millis());
          locks.terminateHandlers(c, id, NodeLocks.ALL);
          return true;
        });
  }

  /// A case that is read from now on must not wait for calls of the dead node.
  private synchronized void gone(int dead) {
    Set<Integer> left = new HashSet<>(living);
    hasLost |= left.remove(dead);
    living = Set.copyOf(left);
  }

  /// Replaces the living nodes. Returns whether a node has gone since the last call.
  private synchronized boolean living(Set<Integer> others) {
    boolean isLost = hasLost || !others.containsAll(living);
    hasLost = false;
    living = others;
    return isLost;
  }

  /// Distributes the slots whose owner is fenced or gone.
  void adopt() throws SQLException {
    var _ = change(0, c -> changes.adopt(c, id));
  }

  /// Removes the nodes that were fenced more than a day ago.
  void forgetFenced() throws SQLException {
    var _ = change(0, changes::forgetFenced);
  }

  /// Gives away what a balanced division takes from this node, as far as the caller has finished
  /// the batches of these slots. Returns whether slots moved.
  boolean handOver(BitSet released) throws SQLException {
    return change(id, c -> changes.handOver(c, id, released));
  }

  /// Marks the node as leaving: it gets no more slots. Returns whether another node can take its
  /// slots; otherwise it is not marked.
  boolean markLeaving() throws SQLException {
    return change(id, c -> changes.markLeaving(c, id));
  }

  /// Returns the slots that a balanced division takes from this node.
  BitSet surplus() throws SQLException {
    return exclusive.read(c -> {
      Roster roster = Roster.read(c, sql);
      int[] planned = SlotPlan.give(id, roster.living(), roster.owners());
      BitSet given = new BitSet(Slots.COUNT);
      for (int slot = 0; slot < planned.length; slot++) {
        given.set(slot, roster.owners()[slot] == id && planned[slot] != id);
      }
      return given;
    });
  }

  /// Returns what the node knows about itself.
  NodeState state() {
    return state;
  }

  /// Returns whether a node was neither fenced nor gone at the last poll.
  boolean isLiving(int node) {
    return node == id || living.contains(node);
  }

  boolean isFenced() {
    return isFenced;
  }

  /// Returns the calls for other nodes whose results no node waits for any more.
  List<SlotOwner.ForeignCall> withdrawn(List<SlotOwner.ForeignCall> calls) throws SQLException {
    return pollStatement.withdrawn(heartbeat.get(), calls);
  }

  /// Shows which programs the engine of this node has. A broken connection is found by the next
  /// poll.
  void showPrograms(Set<ProgramHash> known) throws SQLException {
    pollStatement.showPrograms(heartbeat.get(), known);
  }

  /// Returns whether the node's wall clock differs from the database's by more than a second.
  boolean isSkewed() {
    return clock.isSkewed(System.currentTimeMillis(), options.nanoTime().getAsLong());
  }

  private boolean change(int lockedNode, ExclusiveTransactions.Work<Boolean> work)
      throws SQLException {
    try {
      NodeState[] after = new NodeState[1];
      ExclusiveTransactions.Work<Boolean> all =
          c -> {
            boolean result = work.apply(c);
            after[0] = Roster.state(c, sql, id);
            return result;
          };
      boolean result =
          lockedNode == 0 ? exclusive.cluster(all) : exclusive.clusterAndNode(lockedNode, all);
      learn(after[0]);
      return result;
    } catch (NodeLocks.FencedException e) {
      isFenced = true;
      return false;
    }
  }

  /// Returns the id of the node's next commit.
  CommitId nextCommit() {
    return new CommitId(id, epoch(), numbers.incrementAndGet());
  }

  /// Runs a commit transaction with an epoch; see [FencedCommit].
  CommitOutcome commit(Connection connection, long epoch, SqlFunction<?> work) {
    return commits.run(connection, id, epoch, work);
  }

  /// Terminates a backend if it executes a transaction of a handler of this node.
  void terminateHandler(Connection connection, int backend) throws SQLException {
    locks.terminateHandlers(connection, id, backend);
  }

  /// Fences a transaction with an epoch; see [NodeLocks#fence].
  void fence(Connection connection, long epoch) throws SQLException, NodeLocks.FencedException {
    locks.fence(connection, id, epoch, 0);
  }

  /// Runs a commit transaction with an epoch and notes its number, so that [#hasCommitted] knows
  /// whether it has happened.
  CommitOutcome commit(Connection connection, CommitId commit, long epoch, SqlFunction<?> work) {
    return commits.run(connection, new CommitId(id, epoch, commit.number()), work);
  }

  /// Returns whether a commit of the node's writer has happened. One thread writes, and it begins
  /// no commit before the one before is settled; so the last number decides. The rows of the commit
  /// do not show it: a later owner of the case may have replaced them.
  boolean hasCommitted(Connection connection, CommitId commit) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            sql.of("select 1 from @.last_commit where node = ? and number >= ?"))) {
      query.setInt(1, id);
      query.setLong(2, commit.number());
      try (ResultSet row = query.executeQuery()) {
        return row.next();
      }
    }
  }

  /// Settles commits in doubt: after it returns, none of them can still happen. Waits for the
  /// node's transactions, raises the epoch and reads which ids are stored and which slots the node
  /// has, in one transaction.
  ///
  /// Throws `SQLException` if the database is away; then nothing is settled and the caller tries
  /// again.
  ///
  /// @param reader returns the ids that are stored
  Settled settle(Collection<CommitId> doubts, SqlFunction<Set<CommitId>> reader)
      throws SQLException {
    try {
      NodeState[] after = new NodeState[1];
      Settled settled =
          exclusive.node(
              id,
              c -> {
                boolean isRaised = changes.raiseEpoch(c, id);
                Set<CommitId> stored = reader.apply(c);
                after[0] = Roster.state(c, sql, id);
                return new Settled(!isRaised, stored);
              });
      if (settled.isFenced) {
        isFenced = true;
      } else {
        learn(after[0]);
      }
      return settled;
    } catch (NodeLocks.FencedException e) {
      throw new IllegalStateException("settling " + doubts + " has no fence", e);
    }
  }

  /// What a resolver has found.
  record Settled(boolean isFenced, Set<CommitId> stored) {}

  /// Leaves the cluster: hands all slots over and removes the node's rows.
  void leave() throws SQLException {
    try {
      exclusive.clusterAndNode(
          id,
          c -> {
            changes.leave(c, id);
            return true;
          });
      isFenced = true;
    } catch (NodeLocks.FencedException e) {
      throw new IllegalStateException("leaving has no fence", e);
    }
  }

  /// Releases the connections without leaving; for other nodes this is a death.
  @Override
  public void close() {
    heartbeat.close();
    ownership.close();
  }
}

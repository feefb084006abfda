package dev.damask.database;

import dev.damask.database.Transactions.Snapshot;
import dev.damask.process.VirtualHost;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The server's side of one connection: a thread of the database's process.
///
/// It notices that its client is gone only when it reads the next message, as PostgreSQL does.
final class Backend {
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long DEADLOCK_NANOS = 1_000 * NANOS_PER_MILLI;
  private static final int BREATHING = 3;
  private static final int BREATHING_ROWS = 32;
  private static final int BREATH_NANOS = 400_000;
  private static final long FOREVER = Long.MAX_VALUE / 4;

  /// A row that the transaction has written.
  record Written(TableData table, TableData.Version version, boolean isRemoved) {}

  /// A message of the client: statements in one round trip.
  ///
  /// @param isInTransaction whether a transaction begins if none is open
  record Message(List<Sql> statements, List<@Nullable Object> values, boolean isInTransaction) {}

  /// A result of one statement.
  ///
  /// @param rows null unless the statement returns rows
  record Result(int count, @Nullable List<@Nullable Object[]> rows) {}

  /// The answer to a message.
  record Answer(List<Result> results, @Nullable SqlError error, String warning) {}

  private final VirtualDatabase database;
  private final VirtualHost host;
  private final Wire wire;
  private final long pid;
  private final SqlValues.Moment started;
  private final Deque<Message> messages = new ArrayDeque<>();
  private final Map<String, String> settings = new HashMap<>();

  // The transaction.
  private boolean isOpen;
  private boolean isFailed;
  private boolean isRepeatable;
  private @Nullable Snapshot kept;
  private long writer; // 0 until it writes
  private int commands;
  private final Map<String, String> locals = new HashMap<>();
  private final Set<TableData> written = new HashSet<>();
  private final List<Written> versions = new ArrayList<>();
  private boolean notifies;

  private boolean isTerminated;
  private boolean isClientGone;
  private boolean isEnded;
  private String state = "idle";
  private String query = "";
  private @Nullable String waitEvent;
  private Supplier<List<Backend>> blockers = List::of;

  Backend(VirtualDatabase database, Wire wire, long pid) {
    this.database = database;
    this.host = database.host();
    this.wire = wire;
    this.pid = pid;
    this.started = new SqlValues.Moment(database.millis() * 1_000 + pid);
  }

  VirtualDatabase database() {
    return database;
  }

  long pid() {
    return pid;
  }

  SqlValues.Moment started() {
    return started;
  }

  String state() {
    return state;
  }

  String query() {
    return query;
  }

  @Nullable String waitEvent() {
    return waitEvent;
  }

  boolean isEnded() {
    return isEnded;
  }

  /// A message has arrived.
  void receive(Message message) {
    messages.add(message);
  }

  void terminate() {
    isTerminated = true;
  }

  void clientGone() {
    isClientGone = true;
  }

  /// Serves the client until the connection or the server ends it.
  void serve() {
    BooleanSupplier isWoken = () -> !messages.isEmpty() || isTerminated || isClientGone;
    while (true) {
      state = isOpen ? "idle in transaction" : "idle";
      long patience = isOpen ? idleNanos() : FOREVER;
      host.awaitUninterruptibly(isWoken, patience);
      if (isTerminated) {
        end(
            new SqlError(
                SqlError.TERMINATED, "terminating connection due to administrator command"));
        return;
      }
      Message message = messages.poll();
      if (message == null) {
        end(
            isClientGone
                ? new SqlError(SqlError.BROKEN, "the client is gone")
                : new SqlError(SqlError.IDLE_TIMEOUT, "idle-in-transaction timeout"));
        return;
      }
      Answer answer = answer(message);
      SqlError error = answer.error;
      if (error != null && error.state().equals(SqlError.TERMINATED)) {
        end(error);
        return;
      }
      wire.answer(answer);
    }
  }

  private long idleNanos() {
    return switch (setting("idle_in_transaction_session_timeout")) {
      case "1s" -> 1_000 * NANOS_PER_MILLI;
      default -> FOREVER;
    };
  }

  private void end(SqlError why) {
    finish(false);
    isEnded = true;
    database.ended(this);
    wire.closed(why);
  }

  /// Ends because the server has crashed. A commit that was written is not undone by that.
  void crash() {
    isEnded = true;
    finish(database.isWritten(writer));
    wire.closed(new SqlError(SqlError.BROKEN, "the server closed the connection unexpectedly"));
  }

  private Answer answer(Message message) {
    state = "active";
    List<Result> results = new ArrayList<>();
    String warning = "";
    try {
      if (message.isInTransaction && !isOpen) {
        isOpen = true;
      }
      for (Sql statement : message.statements) {
        results.add(run(statement, message.values));
      }
      if (!isOpen) {
        warning = commit();
      }
      return new Answer(results, null, warning);
    } catch (SqlError e) {
      boolean isBlock = isOpen;
      finish(false); // an error releases the locks at once
      isOpen = isBlock;
      isFailed = isBlock;
      return new Answer(results, e, "");
    }
  }

  private void releaseWaits() {
    blockers = List::of;
    waitEvent = null;
  }

  private Result run(Sql statement, List<@Nullable Object> values) {
    query = statement instanceof Sql.Plain plain ? plain.word() : "query";
    if (statement instanceof Sql.Plain plain) {
      return plain(plain);
    }
    if (isFailed) {
      throw new SqlError(SqlError.ABORTED, "current transaction is aborted");
    }
    if (isTerminated) {
      throw new SqlError(SqlError.TERMINATED, "terminating connection");
    }
    boolean isAlone = !isOpen;
    Snapshot snapshot = kept == null ? database.transactions().snapshot() : kept;
    if (isRepeatable && kept == null) {
      kept = snapshot;
      database.transactions().keep(snapshot);
    }
    StatementRun run = new StatementRun(this, snapshot, ++commands, values);
    Result result = execute(statement, run);
    if (isAlone && !isOpen) {
      commit();
    }
    return result;
  }

  private Result execute(Sql statement, StatementRun run) {
    return switch (statement) {
      case Sql.Select select -> {
        commons(select.commons, run);
        yield new Result(-1, run.queries().select(select, null, Integer.MAX_VALUE));
      }
      case Sql.Insert insert -> {
        commons(insert.commons(), run);
        yield new RowEdits(run).insert(insert).told(insert.returning());
      }
      case Sql.Update update -> {
        commons(update.commons(), run);
        yield new RowEdits(run).update(update).told(update.returning());
      }
      case Sql.Delete delete -> {
        commons(delete.commons(), run);
        yield new RowEdits(run).delete(delete).told(delete.returning());
      }
      case Sql.CreateTable create -> {
        database.create(create);
        yield new Result(0, null);
      }
      case Sql.AddColumn add -> {
        add.run(run);
        yield new Result(0, null);
      }
      case Sql.Plain plain -> plain(plain);
    };
  }

  private void commons(List<Sql.Common> commons, StatementRun run) {
    for (Sql.Common each : commons) {
      List<Sql.Item> items =
          switch (each.statement()) {
            case Sql.Select select -> select.items;
            case Sql.Insert insert -> insert.returning();
            case Sql.Update update -> update.returning();
            case Sql.Delete delete -> delete.returning();
            default -> throw new SqlError(SqlError.SYNTAX, "not a statement of with");
          };
      List<@Nullable Object[]> rows = execute(each.statement(), run).rows;
      List<String> columns = items.stream().map(Sql.Item::name).toList();
      if (each.statement() instanceof Sql.Select select && columns.contains("*")) {
        columns = select.sources.getFirst().columns();
      }
      run.commons.put(
          each.name(), new StatementRun.Relation(columns, rows == null ? List.of() : rows));
    }
  }

  private Result plain(Sql.Plain plain) {
    switch (plain.word()) {
      case "begin", "start", "set" -> {
        if (isFailed) {
          throw new SqlError(SqlError.ABORTED, "current transaction is aborted");
        }
        isOpen |= !plain.word().equals("set");
        if (plain.rest().contains("isolation level")) {
          level(plain.rest().contains("repeatable") || plain.rest().contains("serializable"));
        }
      }
      case "commit", "end" -> {
        boolean isLost = isFailed;
        String warning = isLost ? "" : commit();
        if (isLost) {
          finish(false);
        }
        if (!warning.isEmpty()) {
          throw new SqlError(SqlError.TERMINATED, warning);
        }
      }
      case "rollback" -> finish(false);
      default -> {} // listen, unlisten, comment, create index and others mean nothing here
    }
    return new Result(0, null);
  }

  private void level(boolean repeatable) {
    if (commands > 0 && repeatable != isRepeatable) {
      throw new SqlError(SqlError.ACTIVE, "the isolation level must be set before any query");
    }
    isRepeatable = repeatable;
  }

  /// Commits. Returns a warning if the server did not wait for its standby.
  private String commit() {
    String warning = "";
    if (writer > 0) {
      boolean isSynchronous = !setting("synchronous_commit").equals("off");
      warning = database.makeDurable(this, writer, isSynchronous);
    }
    finish(true);
    return warning;
  }

  /// Waits for the standby. Returns false if the backend was terminated meanwhile.
  boolean awaitStandby(BooleanSupplier isReplicated) {
    waitEvent = "SyncRep";
    host.awaitUninterruptibly(() -> isReplicated.getAsBoolean() || isTerminated);
    waitEvent = null;
    return isReplicated.getAsBoolean();
  }

  private void finish(boolean isCommitted) {
    if (writer > 0) {
      database.transactions().end(writer, isCommitted);
      database.changed(written);
      if (isCommitted) {
        database.committed(versions);
      }
    }
    versions.clear();
    if (kept != null) {
      database.transactions().release(kept);
    }
    if (isCommitted && notifies) {
      database.wakeListeners();
    }
    notifies = false;
    kept = null;
    writer = 0;
    commands = 0;
    isOpen = false;
    isFailed = false;
    isRepeatable = setting("default_transaction_isolation").equals("repeatable read");
    locals.clear();
    written.clear();
    releaseWaits();
    database.locks().removeAll(this);
  }

  // What statements ask for.

  void notifyAtCommit() {
    notifies = true;
  }

  long transaction() {
    return writer == 0 ? -1 : writer;
  }

  boolean isRepeatable() {
    return isRepeatable;
  }

  /// Returns the id of the transaction, which writes.
  long writer() {
    if (writer == 0) {
      writer = database.transactions().begin();
    }
    return writer;
  }

  long writer(TableData table) {
    if (written.add(table)) {
      database.writing(table);
    }
    return writer();
  }

  void wrote(TableData table, TableData.Version version, boolean isRemoved) {
    versions.add(new Written(table, version, isRemoved));
  }

  /// Lets other sessions run in the middle of a statement with a few rows.
  void breathe(int rows) {
    if (rows > 1 && rows < BREATHING_ROWS && host.below(BREATHING) == 0) {
      host.awaitUninterruptibly(() -> isTerminated, 1 + host.below(BREATH_NANOS));
    }
  }

  String set(String name, String value, boolean isLocal) {
    (isLocal ? locals : settings).put(name, value);
    return value;
  }

  String setting(String name) {
    String local = locals.get(name);
    String own = local == null ? settings.get(name) : local;
    return own == null ? database.setting(name) : own;
  }

  boolean tryLock(AdvisoryLocks.Key key) {
    AdvisoryLocks.Request request = database.locks().request(key, this, false);
    if (!request.isGranted) {
      database.locks().remove(key, request);
    }
    return request.isGranted;
  }

  void lock(AdvisoryLocks.Key key, boolean isShared) {
    AdvisoryLocks.Request request = database.locks().request(key, this, isShared);
    if (!request.isGranted) {
      try {
        await(() -> request.isGranted, () -> database.locks().blockers(key, request));
      } finally {
        if (!request.isGranted) {
          database.locks().remove(key, request);
        }
      }
    }
  }

  /// Waits until another transaction has ended. All that wait for the same one continue at the same
  /// time.
  void awaitEnd(long transaction) {
    database.awaiting(transaction, 1);
    try {
      await(
          () -> !database.transactions().isRunning(transaction),
          () -> database.writers(transaction));
    } finally {
      database.awaiting(transaction, -1);
    }
  }

  /// Waits until the transaction that changes a row has ended. Those who wait for one row continue
  /// in the order in which they came.
  void awaitRow(long transaction, List<Object> row) {
    List<Backend> queue = database.rowQueue(row);
    queue.add(this);
    try {
      await(
          () -> queue.getFirst() == this, () -> queue.subList(0, Math.max(0, queue.indexOf(this))));
      awaitEnd(transaction);
    } finally {
      queue.remove(this);
    }
  }

  private void await(BooleanSupplier isOver, Supplier<List<Backend>> waitsFor) {
    waitEvent = "Lock";
    long patience = setting("lock_timeout").equals("1s") ? 1_000 * NANOS_PER_MILLI : FOREVER;
    long begun = database.nanos();
    boolean isChecked = false; // a wait is checked for a deadlock once
    while (!isOver.getAsBoolean()) {
      blockers = waitsFor;
      long left = patience - (database.nanos() - begun);
      host.awaitUninterruptibly(
          () -> isOver.getAsBoolean() || isTerminated,
          isChecked ? left : Math.min(left, DEADLOCK_NANOS));
      if (isTerminated) {
        throw new SqlError(SqlError.TERMINATED, "terminating connection");
      }
      if (isOver.getAsBoolean()) {
        break;
      }
      if (!isChecked && waitsForItself(new HashSet<>(), this)) {
        database.deadlocked();
        throw new SqlError(SqlError.DEADLOCK, "deadlock detected");
      }
      isChecked = true;
      if (database.nanos() - begun >= patience) {
        throw new SqlError(SqlError.LOCK_TIMEOUT, "canceling statement due to lock timeout");
      }
    }
    releaseWaits();
  }

  private boolean waitsForItself(Set<Backend> seen, Backend from) {
    for (Backend each : from.blockers.get()) {
      if (each == this || (seen.add(each) && waitsForItself(seen, each))) {
        return true;
      }
    }
    return false;
  }

  boolean isWriting(long transaction) {
    return writer == transaction;
  }
}

package dev.damask.database;

import dev.damask.process.VirtualHost;
import dev.damask.process.VirtualProcess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// A database server in a simulation: tables with versions of rows, snapshots per statement or per
/// transaction, row locks, advisory locks, sessions that can be terminated, its own clock, and a
/// synchronous standby if one is wanted. It understands the SQL that Damask uses.
public final class VirtualDatabase {
  /// A commit that a crash can lose.
  private record Recent(long transaction, boolean isSynchronous) {}

  private final VirtualHost host;
  private final VirtualProcess process;
  private final Map<String, TableData> tables = new TreeMap<>();
  private final Transactions transactions = new Transactions();
  private AdvisoryLocks locks = new AdvisoryLocks();
  private final List<Backend> backends = new ArrayList<>();
  private final Map<String, String> settings = new HashMap<>();
  private final Map<String, List<Sql>> parsed = new HashMap<>();
  private final IdentityHashMap<Sql.Select, Cached> cache = new IdentityHashMap<>();
  private final IdentityHashMap<TableData, Integer> writing = new IdentityHashMap<>();
  private final IdentityHashMap<TableData, Long> changedAt = new IdentityHashMap<>();
  private final List<Recent> recent = new ArrayList<>(); // not on the standby, or not synced
  private @Nullable LongSupplier standbyNanos; // null without a standby
  private boolean isStandbyAway;
  private long notifications;
  private long pids;
  private long uuids;
  private String gap = "";
  private int deadlocks;
  private int races;
  private final Map<List<Object>, List<Backend>> rowQueues = new HashMap<>();
  private final Map<Long, Integer> awaited = new HashMap<>();
  private boolean isUp = true;
  private Consumer<List<Row>> commitListener = _ -> {};
  private final Set<String> watched = new TreeSet<>();

  /// A result that was read from tables that have not changed since.
  private record Cached(TableData table, long changes, List<@Nullable Object[]> rows) {}

  public VirtualDatabase(VirtualHost host, VirtualProcess process) {
    this.host = host;
    this.process = process;
    settings.putAll(
        Map.of(
            "server_version_num", "180000",
            "server_version", "18.0 (virtual)",
            "server_encoding", "UTF8",
            "fsync", "on",
            "full_page_writes", "on",
            "synchronous_commit", "on",
            "lock_timeout", "0",
            "idle_in_transaction_session_timeout", "0",
            "default_transaction_isolation", "read committed"));
  }

  VirtualHost host() {
    return host;
  }

  /// Returns the process of the server; its clock is the database's.
  public VirtualProcess process() {
    return process;
  }

  /// Sets a default of the server, such as `default_transaction_isolation`.
  public void configure(String setting, String value) {
    settings.put(setting, value);
  }

  /// Adds a synchronous standby.
  ///
  /// @param nanos how long a commit takes to reach it
  public void addStandby(LongSupplier nanos) {
    standbyNanos = nanos;
  }

  /// Cuts the standby off, or connects it again.
  public void setStandbyAway(boolean value) {
    isStandbyAway = value;
  }

  Map<String, TableData> tables() {
    return tables;
  }

  Transactions transactions() {
    return transactions;
  }

  AdvisoryLocks locks() {
    return locks;
  }

  List<Backend> backends() {
    return backends;
  }

  long millis() {
    return process.millis();
  }

  long nanos() {
    return host.nanos();
  }

  String setting(String name) {
    return settings.getOrDefault(name, "");
  }

  long nextUuid() {
    return ++uuids;
  }

  /// Notes that a statement says something that this database does not know.
  void lacks(@Nullable String what) {
    if (gap.isEmpty()) {
      gap = String.valueOf(what);
    }
  }

  /// Returns the first thing that a client said and this database does not know; empty if there is
  /// none. A run with a gap tests nothing: its clients only hear errors.
  public String gap() {
    return gap;
  }

  List<Sql> parse(String text) {
    return parsed.computeIfAbsent(text, SqlParser::parse);
  }

  void create(Sql.CreateTable create) {
    tables.put(
        create.table(),
        new TableData(create.table(), create.columns(), create.key(), create.defaults()));
  }

  /// Accepts a connection. Throws an error if the server is down.
  Backend connect(Wire wire) {
    if (!isUp) {
      throw new SqlError(SqlError.REFUSED, "connection refused");
    }
    Backend backend = new Backend(this, wire, ++pids);
    backends.add(backend);
    process.start("backend-" + backend.pid(), backend::serve);
    return backend;
  }

  public boolean isUp() {
    return isUp;
  }

  void ended(Backend backend) {
    backends.remove(backend);
  }

  boolean terminate(long pid) {
    for (Backend each : backends) {
      if (each.pid() == pid) {
        host.note("terminates backend " + pid + " (" + each.waitEvent() + ")");
        each.terminate();
        return true;
      }
    }
    return false;
  }

  List<Backend> writers(long transaction) {
    return backends.stream().filter(each -> each.isWriting(transaction)).toList();
  }

  void wakeListeners() {
    notifications++;
  }

  long notifications() {
    return notifications;
  }

  /// Returns the sessions that wait for a row.
  List<Backend> rowQueue(List<Object> row) {
    rowQueues.values().removeIf(List::isEmpty);
    return rowQueues.computeIfAbsent(row, _ -> new ArrayList<>());
  }

  void awaiting(long transaction, int change) {
    int count = awaited.merge(transaction, change, Integer::sum);
    races += count > 1 ? 1 : 0;
  }

  /// Returns how often several sessions waited for one transaction: a real server releases them in
  /// any order.
  public int races() {
    return races;
  }

  void deadlocked() {
    host.note("deadlock");
    deadlocks++;
  }

  /// Returns how many deadlocks there were.
  public int deadlocks() {
    return deadlocks;
  }

  // Caching of queries of whole tables that rarely change.

  void writing(TableData table) {
    writing.merge(table, 1, Integer::sum);
  }

  void changed(Set<TableData> written) {
    for (TableData each : written) {
      writing.merge(each, -1, Integer::sum);
      changedAt.put(each, transactions.snapshot().next());
    }
  }

  private @Nullable TableData cacheable(Sql.Select query, StatementRun run) {
    if (!query.isDistinct || query.sources.size() != 1 || query.where != null) {
      return null;
    }
    TableData table = tables.get(query.sources.getFirst().table());
    boolean isQuiet =
        table != null
            && writing.getOrDefault(table, 0) == 0
            && changedAt.getOrDefault(table, 0L) <= run.snapshot().oldest();
    return isQuiet ? table : null;
  }

  @Nullable List<@Nullable Object[]> cached(Sql.Select query, StatementRun run) {
    Cached known = cache.get(query);
    TableData table = known == null ? null : cacheable(query, run);
    return known != null && table == known.table && table.changes() == known.changes
        ? known.rows
        : null;
  }

  void cache(Sql.Select query, StatementRun run, List<@Nullable Object[]> rows) {
    TableData table = cacheable(query, run);
    if (table != null) {
      cache.put(query, new Cached(table, table.changes(), rows));
    }
  }

  // Inspection.

  /// A row that a transaction has committed.
  ///
  /// @param values by column; null values are left out
  /// @param isRemoved whether the transaction has removed the row
  public record Row(String table, Map<String, Object> values, boolean isRemoved) {
    /// Returns a number; -1 if the column is null.
    public long number(String column) {
      return values.get(column) instanceof Long number ? number : -1;
    }

    public String text(String column) {
      return String.valueOf(values.get(column));
    }

    public boolean flag(String column) {
      return Boolean.TRUE.equals(values.get(column));
    }
  }

  /// Reports the rows that each transaction writes, when it has committed.
  public void onCommit(Consumer<List<Row>> listener) {
    commitListener = listener;
  }

  void committed(List<Backend.Written> written) {
    if (written.stream().anyMatch(each -> watched.contains(each.table().name))) {
      commitListener.accept(
          written.stream()
              .map(each -> row(each.table(), each.version(), each.isRemoved()))
              .toList());
    }
  }

  /// Reports commits only if they write one of these tables.
  public void watch(String... names) {
    watched.addAll(List.of(names));
  }

  private static Row row(TableData table, TableData.Version version, boolean isRemoved) {
    Map<String, Object> values = new TreeMap<>();
    for (int i = 0; i < version.values.length; i++) {
      Object value = version.values[i];
      if (value != null) {
        values.put(table.columns.get(i), value);
      }
    }
    return new Row(table.name, values, isRemoved);
  }

  /// Returns the committed rows of a table that have a value in a column.
  public List<Row> rows(String name, String column, Object value) {
    TableData table = tables.get(name);
    return table == null ? List.of() : rows(table, table.with(table.column(column), value));
  }

  /// Returns the committed rows of a table.
  public List<Row> rows(String name) {
    TableData table = tables.get(name);
    return table == null ? List.of() : rows(table, table.versions());
  }

  private List<Row> rows(TableData table, List<TableData.Version> versions) {
    Transactions.Snapshot now = transactions.snapshot();
    return versions.stream()
        .filter(each ->
            transactions.isSeen(each.created, now)
                && !(each.removed > 0 && transactions.isSeen(each.removed, now)))
        .map(each -> row(table, each, false))
        .toList();
  }

  // Durability.

  /// Makes a commit durable. Returns a warning if the backend was terminated before the standby had
  /// it.
  String makeDurable(Backend backend, long transaction, boolean isSynchronous) {
    LongSupplier delay = standbyNanos;
    if (delay == null) {
      if (isSynchronous) {
        recent.clear();
      } else {
        recent.add(new Recent(transaction, false));
      }
      return "";
    }
    Recent commit = new Recent(transaction, isSynchronous);
    recent.add(commit);
    replicate(commit, delay);
    if (isSynchronous && !backend.awaitStandby(() -> !recent.contains(commit))) {
      return "the transaction has committed locally, but might not be on the standby";
    }
    return "";
  }

  /// The standby receives commits in order.
  private void replicate(Recent commit, LongSupplier delay) {
    host.later(
        delay.getAsLong(),
        () -> {
          if (isStandbyAway) {
            replicate(commit, delay);
          } else {
            int at = recent.indexOf(commit);
            recent.subList(0, at + 1).clear();
          }
        });
  }

  /// Kills the server. Commits that did not wait for the disk may be lost.
  public void crash() {
    host.note("database crashes");
    isUp = false;
    int lost = recent.isEmpty() ? 0 : host.below(recent.size() + 1);
    stop(standbyNanos == null ? recent.subList(recent.size() - lost, recent.size()) : List.of());
  }

  /// Kills the server and continues with its standby: what the standby does not have is lost.
  public void failOver() {
    host.note("failover, " + recent.size() + " commits lost");
    isUp = false;
    stop(recent);
    isStandbyAway = false;
  }

  boolean isWritten(long transaction) {
    return recent.stream().anyMatch(each -> each.transaction == transaction);
  }

  private void stop(List<Recent> lost) {
    List<Recent> gone = new ArrayList<>(lost);
    List<Backend> all = new ArrayList<>(backends);
    backends.clear();
    process.kill();
    all.forEach(Backend::crash);
    locks = new AdvisoryLocks();
    gone.forEach(each -> transactions.lose(each.transaction));
    recent.clear();
    cache.clear();
    writing.clear();
  }

  /// Starts the server again.
  public void start() {
    host.note("database starts");
    process.restart();
    isUp = true;
  }

  /// Returns a source of connections for a process.
  public VirtualSource source(VirtualProcess client, Network network) {
    return new VirtualSource(this, client, network);
  }
}

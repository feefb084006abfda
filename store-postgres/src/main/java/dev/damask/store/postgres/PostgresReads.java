package dev.damask.store.postgres;

import dev.damask.cluster.CaseMessage;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.program.ProgramHash;
import dev.damask.sql.NodeConnections;
import dev.damask.sql.SqlText;
import dev.damask.sql.StoredBytes;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.RecordSource;
import dev.damask.store.StateChange;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoredProgram;
import dev.damask.store.StoredState;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Sum;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The reads of the store. Reading needs no ownership; each read is one statement on a borrowed
/// connection.
final class PostgresReads implements RecordSource {
  private static final int FETCHED = 1_000;
  private static final long PAUSE_MIN_MILLIS = 10;
  private static final long PAUSE_MAX_MILLIS = 500;

  private final NodeConnections connections;
  private final SqlText sql;

  PostgresReads(NodeConnections connections, SqlText sql) {
    this.connections = connections;
    this.sql = sql;
  }

  /// Reads one row.
  @FunctionalInterface
  interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }

  /// The node whose slots are meant; null on a store that has one engine only.
  private @Nullable PostgresNode owner;

  private BooleanSupplier isPatient = () -> false;

  /// Reads for one node of several: what is due and active is limited to its slots.
  ///
  /// @param waits whether a read waits while the database is away
  PostgresReads ofNode(PostgresNode node, BooleanSupplier waits) {
    PostgresReads reads = new PostgresReads(connections, sql);
    reads.owner = node;
    reads.isPatient = waits;
    return reads;
  }

  /// Runs a query. A parameter with U+0000 matches nothing: no text of PostgreSQL contains it.
  /// Throws [StoreException] if the database cannot be read, or if the thread is interrupted while
  /// the database is away.
  <T> List<T> query(String statement, Row<T> row, Object... values) {
    for (Object value : values) {
      if (value instanceof String text && text.indexOf(0) >= 0) {
        return List.of();
      }
    }
    long pause = PAUSE_MIN_MILLIS;
    boolean isFirst = true;
    while (true) {
      try {
        return run(statement, row, values);
      } catch (SQLException e) {
        if (isFirst && NodeConnections.isGone(e)) {
          isFirst = false;
          connections.suspect(); // the pool may have other sessions, or the server a new one
          continue;
        }
        if (!PostgresErrors.isTransient(e) || !isPatient.getAsBoolean()) {
          throw PostgresErrors.failure("schema " + sql.schema() + ": cannot read", e);
        }
        if (Thread.currentThread().isInterrupted()) { // no pause would wait
          throw PostgresErrors.failure(
              "schema " + sql.schema() + ": the thread was interrupted before it could read", e);
        }
        System.getLogger(PostgresReads.class.getName())
            .log(
                System.Logger.Level.WARNING,
                "schema " + sql.schema() + ": cannot be read at the moment, trying again: " + e);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pause));
        pause = Math.min(2 * pause, PAUSE_MAX_MILLIS);
      }
    }
  }

  private <T> List<T> run(String statement, Row<T> row, Object... values) throws SQLException {
    try (Connection connection = connections.take();
        PreparedStatement query = connection.prepareStatement(sql.of(statement))) {
      for (int i = 0; i < values.length; i++) {
        query.setObject(i + 1, values[i]);
      }
      List<T> found = new ArrayList<>();
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          found.add(row.read(rows));
        }
      }
      return found;
    }
  }

  private static <T> Optional<T> first(List<T> found) {
    return found.isEmpty() ? Optional.empty() : Optional.of(found.getFirst());
  }

  /// Decodes data of one case. A decoding error makes only this case corrupt.
  private static <T> T decoded(String caseId, byte[] bytes, Function<byte[], T> decoder) {
    try {
      return decoder.apply(bytes);
    } catch (Decoder.DamagedBytes e) {
      throw new CorruptCaseException(caseId, String.valueOf(e.getMessage()), e);
    }
  }

  /// Checks and decodes the record of a row with the columns `case_id`, `record`, `checksum` and
  /// `revision`.
  private CaseRecord record(ResultSet row) throws SQLException {
    String caseId = row.getString(1);
    byte[] bytes = row.getBytes(2);
    int checksum = row.getInt(3);
    CaseRecord record =
        decoded(
            caseId,
            bytes,
            b -> {
              if (StoredBytes.checksum(caseId, b) != checksum) {
                throw new Decoder.DamagedBytes("checksum mismatch: the record is corrupt");
              }
              return CaseRecord.decode(caseId, b);
            });
    if (record.revision() != row.getLong(4)) {
      throw new CorruptCaseException(
          caseId,
          "the row has revision " + row.getLong(4) + ", the record " + record.revision(),
          new Decoder.DamagedBytes("revision"));
    }
    return record.state() instanceof StoredState.Head head
        ? record.withState(head.with(() -> chain(caseId, head.base(), record.revision())))
        : record;
  }

  /// Reads the records of a case's state. The revision may have changed since its head was read;
  /// then the records do not fit together and the reader notices.
  private StoredState.Chain chain(String caseId, long from, long to) {
    List<StateChange.Stored> records =
        states(caseId, from, to).stream().map(Store.RevisionRecord::record).toList();
    return new StoredState.Chain(to, records, hash -> value(caseId, hash));
  }

  @Override
  public List<Store.RevisionRecord> states(String caseId, long from, long to) {
    return query(
        "select revision, record from @.bases where case_id = ? and revision between ? and ?"
            + " union all select revision, record from @.deltas"
            + " where case_id = ? and revision between ? and ? order by revision",
        row -> new Store.RevisionRecord(row.getLong(1), new StateChange.Stored(row.getBytes(2))),
        caseId,
        from,
        to,
        caseId,
        from,
        to);
  }

  @Override
  public byte @Nullable [] value(String caseId, Sum hash) {
    List<byte[]> found =
        query(
            "select value from @.\"values\" where case_id = ? and hash = ?",
            row -> row.getBytes(1),
            caseId,
            StoredBytes.of(hash));
    return found.isEmpty() ? null : found.getFirst();
  }

  Optional<CaseRecord> record(String caseId) {
    return first(
        query(
            "select case_id, record, checksum, revision from @.cases where case_id = ?",
            this::record,
            caseId));
  }

  /// Reads record and intents in one statement, and so in one snapshot.
  Optional<Store.LoadedCase> load(String caseId) {
    List<CalledIntent> called = new ArrayList<>();
    List<CaseRecord> records =
        query(
            "select c.case_id, c.record, c.checksum, c.revision, i.intent, i.node from @.cases c"
                + " left join @.intents i on i.case_id = c.case_id"
                + " where c.case_id = ? order by i.effect",
            row -> {
              byte[] intent = row.getBytes(5);
              if (intent != null) {
                called.add(new CalledIntent(intent, row.getInt(6)));
              }
              return record(row);
            },
            caseId);
    if (records.isEmpty()) {
      return Optional.empty();
    }
    CaseRecord record = records.getFirst();
    if (!(record.state() instanceof StoredState.Head head)) {
      return Optional.of(loaded(record, called));
    }
    StoredState.Chain chain = chain(caseId, head.base(), record.revision());
    Store.LoadedCase loaded = null;
    CorruptCaseException damage = null;
    try {
      loaded = loaded(record.withState(head.with(() -> chain)), called);
    } catch (CorruptCaseException e) {
      damage = e;
    }
    List<Long> now =
        query("select revision from @.cases where case_id = ?", row -> row.getLong(1), caseId);
    // A commit meanwhile may have removed older records and values.
    if (!now.equals(List.of(record.revision()))) {
      return load(caseId);
    }
    if (damage != null) {
      throw damage;
    }
    return Optional.ofNullable(loaded);
  }

  /// An intent and the node that calls it.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record CalledIntent(byte[] bytes, int caller) {}

  private Store.LoadedCase loaded(CaseRecord record, List<CalledIntent> called) {
    List<EffectIntent> intents = new ArrayList<>();
    List<EffectIntent> elsewhere = new ArrayList<>();
    List<EffectIntent> ended = new ArrayList<>();
    PostgresNode node = owner;
    String caseId = record.caseId();
    for (CalledIntent each : called) {
      EffectIntent read =
          decoded(
              caseId, each.bytes, bytes -> EffectIntent.decode(bytes, hash -> value(caseId, hash)));
      intents.add(read);
      if (node != null && read.sent() && each.caller != node.id()) {
        (node.isLiving(each.caller) ? elsewhere : ended).add(read);
      }
    }
    elsewhere.addAll(reported(caseId, ended));
    Set<EffectId> calls = new HashSet<>();
    elsewhere.forEach(intent -> calls.add(intent.id()));
    return new Store.LoadedCase(record, intents, calls);
  }

  private Receipt receipt(String caseId, byte[] bytes) {
    return decoded(caseId, bytes, each -> Receipt.decode(each, hash -> value(caseId, hash)));
  }

  /// Returns the calls of nodes that are gone whose results wait in the inbox: they must not be
  /// made again, and their outcome is known.
  private List<EffectIntent> reported(String caseId, List<EffectIntent> ended) {
    if (ended.isEmpty()) {
      return List.of();
    }
    Set<String> messages =
        new HashSet<>(
            query(
                "select message_id from @.inbox where case_id = ? and kind = 'report'",
                row -> row.getString(1),
                caseId));
    return ended.stream()
        .filter(intent -> messages.contains(CaseMessage.reportId(intent.id(), intent.attempt())))
        .toList();
  }

  List<Receipt> receipts(String caseId) {
    List<byte[]> stored =
        query(
            "select receipt from @.receipts where case_id = ? order by number",
            row -> row.getBytes(1),
            caseId);
    try {
      return stored.stream().map(bytes -> receipt(caseId, bytes)).toList();
    } catch (CorruptCaseException e) {
      if (record(caseId).isEmpty()) {
        return List.of(); // it was removed meanwhile, with its values
      }
      throw e;
    }
  }

  Optional<Store.KeyedReceipt> receiptByKey(String type, String key) {
    return first(
            query(
                "select k.case_id, r.receipt from @.keys k"
                    + " join @.receipts r on r.case_id = k.case_id and r.number = k.receipt"
                    + " where k.type = ? and k.key = ?",
                row -> Map.entry(row.getString(1), row.getBytes(2)),
                type,
                key))
        .map(found ->
            new Store.KeyedReceipt(found.getKey(), receipt(found.getKey(), found.getValue())));
  }

  OptionalInt consumed(String caseId, String messageId) {
    List<Integer> found =
        query(
            "select answer from @.consumed where case_id = ? and message_id = ?",
            row -> row.getInt(1),
            caseId,
            messageId);
    return found.isEmpty() ? OptionalInt.empty() : OptionalInt.of(found.getFirst());
  }

  @Override
  public List<Store.RevisionInputs> journal(String caseId, long from, long to) {
    return query(
        "select revision, inputs from @.journal"
            + " where case_id = ? and revision between ? and ? order by revision",
        row -> new Store.RevisionInputs(row.getLong(1), row.getBytes(2)),
        caseId,
        from,
        to);
  }

  List<byte[]> trace(String caseId, long from) {
    return query(
        "select part from @.trace where case_id = ? and revision >= ? order by revision",
        row -> row.getBytes(1),
        caseId,
        from);
  }

  List<Store.DueCase> due(Store.DueCase after, int limit) {
    return query(
        "select d.due, d.case_id from @.due d"
            + owned("d.slot")
            + " where (d.due, d.case_id) > (?, ?) order by d.due, d.case_id limit ?",
        row -> new Store.DueCase(row.getLong(1), row.getString(2)),
        after.dueMillis(),
        after.caseId(),
        limit);
  }

  /// Returns the cases that were committed while they could move and those with open effects.
  List<String> active() {
    return query(
        "select c.case_id from @.cases c"
            + owned("c.slot")
            + " where c.status = ? union select i.case_id from @.intents i"
            + owned("i.slot")
            + " order by case_id",
        row -> row.getString(1),
        CaseStatus.RUNNING.number());
  }

  /// Returns the join that limits rows to the slots of the node.
  private String owned(String slot) {
    PostgresNode node = owner;
    return node == null ? "" : " join @.slot s on s.slot = " + slot + " and s.owner = " + node.id();
  }

  List<String> ids(String prefix, String after, int limit) {
    return query(
        "select case_id from @.cases where starts_with(case_id, ?) and case_id >= ?"
            + " and case_id > ? order by case_id limit ?",
        row -> row.getString(1),
        prefix,
        prefix,
        after,
        limit);
  }

  CasePage list(CaseQuery query) {
    if (!query.conditions().isEmpty()) {
      return PostgresQuery.page(this, query);
    }
    List<CaseRecord> page = new ArrayList<>();
    LinkedHashMap<String, CaseRecord> found = new LinkedHashMap<>();
    String cursor = query.after();
    while (true) {
      Map<String, CaseRecord> next = listed(query, cursor);
      for (Map.Entry<String, CaseRecord> each : next.entrySet()) {
        cursor = each.getKey();
        if (!query.filter().test(each.getValue())) {
          continue;
        }
        if (page.size() == query.limit()) {
          return new CasePage(page, found.sequencedKeySet().getLast());
        }
        found.put(cursor, each.getValue());
        page.add(each.getValue());
      }
      if (next.size() < fetched(query)) {
        return new CasePage(page, "");
      }
    }
  }

  /// One more than a page has, if the statement leaves out all other cases.
  private static int fetched(CaseQuery query) {
    boolean isExact =
        query.program() == null
            && query.status() != CaseStatus.CORRUPT
            && query.fromMillis() == Long.MIN_VALUE
            && query.untilMillis() == Long.MAX_VALUE;
    return isExact ? Math.min(query.limit() + 1, FETCHED) : FETCHED;
  }

  /// Reads the next cases in the order of the list, by cursor. A corrupt case is listed as such.
  private Map<String, CaseRecord> listed(CaseQuery query, String cursor) {
    String[] parts = cursor.split(" ", 3);
    if (!cursor.isEmpty() && parts.length != 3) {
      throw new IllegalArgumentException("not a valid list cursor: '" + cursor + "'");
    }
    CaseStatus status = query.status();
    Map<String, CaseRecord> next = new LinkedHashMap<>();
    List<Object> values = new ArrayList<>();
    StringBuilder where = new StringBuilder(" where true");
    if (query.workflow() != null) {
      where.append(" and workflow collate \"C\" = ?");
      values.add(query.workflow());
    }
    if (status != null && status != CaseStatus.CORRUPT) {
      where.append(" and status = ?");
      values.add(status.number());
    }
    if (!cursor.isEmpty()) {
      where.append(" and (status, started, case_id) > (?, ?, ?)");
      values.add(Integer.parseInt(parts[0]));
      values.add(Long.parseUnsignedLong(parts[1], 16));
      values.add(parts[2]);
    }
    values.add(fetched(query));
    query(
        "select case_id, record, checksum, revision, status, started from @.cases"
            + where
            + " order by status, started, case_id limit ?",
        row -> {
          CaseStatus kept = CaseStatus.byNumber().get(row.getInt(5));
          String caseId = row.getString(1);
          return next.put(CaseQuery.cursor(kept, row.getLong(6), caseId), orCorrupt(row));
        },
        values.toArray());
    return next;
  }

  CaseRecord orCorrupt(ResultSet row) throws SQLException {
    try {
      return record(row);
    } catch (CorruptCaseException e) {
      return CaseRecord.corrupt(row.getString(1), row.getLong(6), String.valueOf(e.getMessage()));
    }
  }

  Optional<StoredProgram> program(ProgramHash hash) {
    return first(
        query(
            "select hash, name, source from @.programs where hash = ?",
            PostgresReads::program,
            StoredBytes.of(hash)));
  }

  List<StoredProgram> programs() {
    return query("select hash, name, source from @.programs order by hash", PostgresReads::program);
  }

  private static StoredProgram program(ResultSet row) throws SQLException {
    return new StoredProgram(
        StoredBytes.programHash(row.getBytes(1)), row.getString(2), Bytes.of(row.getBytes(3)));
  }
}

package dev.damask.store.postgres;

import dev.damask.attribute.CaseFacts;
import dev.damask.attribute.IndexKey;
import dev.damask.cluster.Slots;
import dev.damask.effect.EffectIntent;
import dev.damask.sql.Columns;
import dev.damask.sql.SqlText;
import dev.damask.sql.StoredBytes;
import dev.damask.store.AuditEntry;
import dev.damask.store.CaseRecord;
import dev.damask.store.StoreException;
import dev.damask.store.StoredProgram;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Writes the rows of a transaction: one statement per table and kind of change, whatever the
/// number of cases, with the tables in one fixed order and each table's rows sorted by key.
final class RowWriter {
  private final SqlText sql;

  RowWriter(SqlText sql) {
    this.sql = sql;
  }

  void write(Connection connection, RowChanges rows) throws SQLException {
    programs(connection, rows);
    cases(connection, rows);
    states(connection, rows);
    journal(connection, rows);
    facts(connection, rows);
    ended(connection, rows);
    PostgresChanges.add(connection, sql, rows);
    due(connection, rows);
    intents(connection, rows);
    parts(connection, rows);
    trace(connection, rows);
    PostgresTable.write(connection, sql, rows.tableRows.values());
    PostgresClaims.ended(connection, sql, rows.tableRows.values());
    audit(connection, rows.audit);
    if (!rows.applied.isEmpty()) {
      new PostgresInbox(sql, 0).apply(connection, rows.applied.values());
    }
    removals(connection, rows);
  }

  private int run(Connection connection, Columns columns, String statement) throws SQLException {
    return columns.run(connection, sql.of(statement));
  }

  private void programs(Connection connection, RowChanges rows) throws SQLException {
    Columns columns = new Columns("bytea", "text", "bytea");
    for (StoredProgram program : rows.programs.values()) {
      columns.add(StoredBytes.of(program.hash()), program.name(), program.source().toArray());
    }
    run(
        connection,
        columns,
        "insert into @.programs (hash, name, source)"
            + " select u.hash, u.name, u.source"
            + " from unnest(?::bytea[], ?::text[], ?::bytea[]) as u (hash, name, source)"
            + " on conflict (hash) do update set name = excluded.name, source = excluded.source");
  }

  private static final String UNNESTED =
      " from unnest(?::text[], ?::int2[], ?::text[], ?::bytea[], ?::int2[], ?::int8[], ?::int8[],"
          + " ?::int8[], ?::int8[], ?::int4[], ?::bytea[], ?::int4[], ?::int8[], ?::int8[],"
          + " ?::int8[]) as u (case_id, slot, workflow, program, status, revision, epoch, started,"
          + " changed, checksum, record, commit_node, commit_epoch, commit_number, before)";
  private static final String INSERT =
      "insert into @.cases (case_id, slot, workflow, program, status, revision, epoch, started,"
          + " changed, checksum, record, commit_node, commit_epoch, commit_number)"
          + " select u.case_id, u.slot, u.workflow, u.program, u.status, u.revision, u.epoch,"
          + " u.started, u.changed, u.checksum, u.record, u.commit_node, u.commit_epoch,"
          + " u.commit_number"
          + UNNESTED
          + " on conflict do nothing returning case_id";
  private static final String UPDATE =
      "update @.cases c set workflow = u.workflow, program = u.program, status = u.status,"
          + " revision = u.revision, epoch = u.epoch, started = u.started, changed = u.changed,"
          + " checksum = u.checksum, record = u.record, commit_node = u.commit_node,"
          + " commit_epoch = u.commit_epoch, commit_number = u.commit_number"
          + UNNESTED
          + " where c.case_id = u.case_id and c.revision = u.before returning c.case_id";

  private void cases(Connection connection, RowChanges rows) throws SQLException {
    Columns added = caseColumns();
    Columns changed = caseColumns();
    Set<String> missing = new TreeSet<>(rows.heads.keySet());
    rows.heads.forEach((caseId, head) -> {
      CaseRecord record = head.record();
      byte[] bytes = record.encode();
      (head.before() == 0 ? added : changed)
          .add(
              caseId,
              (short) Slots.of(caseId),
              record.workflow(),
              StoredBytes.of(record.program()),
              (short) record.status().number(),
              record.revision(),
              record.epoch(),
              record.startedMillis(),
              record.changedMillis(),
              StoredBytes.checksum(caseId, bytes),
              bytes,
              rows.id.node(),
              rows.id.epoch(),
              rows.id.number(),
              head.before());
    });
    missing.removeAll(written(connection, added, INSERT));
    missing.removeAll(written(connection, changed, UPDATE));
    if (!missing.isEmpty()) {
      Map<String, String> stale = new TreeMap<>();
      for (String caseId : missing) {
        long next = rows.record(caseId).revision();
        stale.put(caseId, RowChanges.stale(caseId, revision(connection, caseId), next));
      }
      throw new StaleRevision(stale);
    }
  }

  private static Columns caseColumns() {
    return new Columns(
        "text", "int2", "text", "bytea", "int2", "int8", "int8", "int8", "int8", "int4", "bytea",
        "int4", "int8", "int8", "int8");
  }

  private Set<String> written(Connection connection, Columns columns, String statement)
      throws SQLException {
    Set<String> written = new TreeSet<>();
    if (columns.isEmpty()) {
      return written;
    }
    try (PreparedStatement update = connection.prepareStatement(sql.of(statement))) {
      columns.set(connection, update);
      try (ResultSet found = update.executeQuery()) {
        while (found.next()) {
          written.add(found.getString(1));
        }
      }
    }
    return written;
  }

  private long revision(Connection connection, String caseId) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(sql.of("select revision from @.cases where case_id = ?"))) {
      query.setString(1, caseId);
      try (ResultSet row = query.executeQuery()) {
        return row.next() ? row.getLong(1) : 0;
      }
    }
  }

  private void states(Connection connection, RowChanges rows) throws SQLException {
    Columns kept = new Columns("text", "int8");
    rows.kept.forEach((caseId, revision) -> kept.add(caseId, revision));
    for (String table : List.of("bases", "deltas")) {
      run(
          connection,
          kept,
          "delete from @."
              + table
              + " t using unnest(?::text[], ?::int8[])"
              + " as u (case_id, kept) where t.case_id = u.case_id and t.revision < u.kept");
      Columns added = new Columns("text", "int8", "bytea", "int4", "int8", "int8");
      rows.states.forEach((key, state) -> {
        if (state.isBase() == table.equals("bases")) {
          added.add(
              key.caseId(),
              key.number(),
              state.record(),
              rows.id.node(),
              rows.id.epoch(),
              rows.id.number());
        }
      });
      run(
          connection,
          added,
          "insert into @."
              + table
              + " (case_id, revision, record, commit_node, commit_epoch, commit_number)"
              + " select u.case_id, u.revision, u.record, u.commit_node, u.commit_epoch,"
              + " u.commit_number from unnest(?::text[], ?::int8[], ?::bytea[], ?::int4[],"
              + " ?::int8[], ?::int8[]) as u (case_id, revision, record, commit_node,"
              + " commit_epoch, commit_number)");
    }
    values(connection, rows);
  }

  private void values(Connection connection, RowChanges rows) throws SQLException {
    Columns gone = new Columns("text", "bytea");
    Columns set = new Columns("text", "bytea", "bytea");
    rows.values.forEach((key, value) -> {
      byte[] hash = HexFormat.of().parseHex(key.second());
      if (value == null) {
        gone.add(key.first(), hash);
      } else {
        set.add(key.first(), hash, value);
      }
    });
    run(
        connection,
        gone,
        "delete from @.\"values\" v using unnest(?::text[], ?::bytea[]) as u (case_id, hash)"
            + " where v.case_id = u.case_id and v.hash = u.hash and not v.lasting");
    run(
        connection,
        set,
        "insert into @.\"values\" (case_id, hash, value) select u.case_id, u.hash, u.value"
            + " from unnest(?::text[], ?::bytea[], ?::bytea[]) as u (case_id, hash, value)"
            + " on conflict do nothing");
  }

  private void journal(Connection connection, RowChanges rows) throws SQLException {
    Columns lasting = new Columns("text", "bytea", "bytea");
    rows.lasting.forEach(
        (key, value) -> lasting.add(key.first(), HexFormat.of().parseHex(key.second()), value));
    run(
        connection,
        lasting,
        "insert into @.\"values\" (case_id, hash, value, lasting)"
            + " select u.case_id, u.hash, u.value, true"
            + " from unnest(?::text[], ?::bytea[], ?::bytea[]) as u (case_id, hash, value)"
            + " on conflict (case_id, hash) do update set lasting = true");
    Columns parts = new Columns("text", "int8", "bytea");
    rows.journal.forEach((key, part) -> parts.add(key.caseId(), key.number(), part));
    run(
        connection,
        parts,
        "insert into @.journal (case_id, revision, inputs)"
            + " select u.case_id, u.revision, u.inputs"
            + " from unnest(?::text[], ?::int8[], ?::bytea[]) as u (case_id, revision, inputs)");
  }

  private static final String FACTS =
      "with changed as materialized (select * from unnest(?::text[]) as u (case_id)),"
          + " wanted as materialized (select * from unnest(?::text[], ?::bytea[], ?::int8[],"
          + " ?::text[]) as u (name, key, started, case_id)),"
          + " gone as (delete from @.facts f using changed c where f.case_id = c.case_id"
          + " and not exists (select 1 from wanted w where w.case_id = f.case_id"
          + " and w.name = f.name and w.key = f.key))"
          + " insert into @.facts (name, key, started, case_id)"
          + " select w.name, w.key, w.started, w.case_id from wanted w on conflict do nothing";

  /// Replaces the facts of the cases whose facts have changed, in one statement.
  private void facts(Connection connection, RowChanges rows) throws SQLException {
    if (rows.facts.isEmpty()) {
      return;
    }
    Columns changed = new Columns("text");
    Columns wanted = new Columns("text", "bytea", "int8", "text");
    for (String caseId : rows.facts) {
      CaseRecord record = rows.record(caseId);
      changed.add(caseId);
      for (CaseFacts.Entry each : record.facts().entries()) {
        wanted.add(each.name(), IndexKey.of(each.value()), record.startedMillis(), caseId);
      }
    }
    try (PreparedStatement update = connection.prepareStatement(sql.of(FACTS))) {
      changed.set(connection, update, 0);
      wanted.set(connection, update, 1);
      update.executeUpdate();
    }
  }

  private void ended(Connection connection, RowChanges rows) throws SQLException {
    Columns ended = new Columns("text");
    rows.heads.forEach((caseId, head) -> {
      if (head.record().status().isEnded()) {
        ended.add(caseId);
      }
    });
    run(
        connection,
        ended,
        "insert into @.ended (case_id) select u.case_id from unnest(?::text[]) as u (case_id)"
            + " on conflict do nothing");
  }

  private void due(Connection connection, RowChanges rows) throws SQLException {
    Columns gone = new Columns("text");
    Columns set = new Columns("text", "int2", "int8");
    rows.heads.forEach((caseId, head) -> {
      if (head.record().dueMillis() != CaseRecord.NEVER) {
        set.add(caseId, (short) Slots.of(caseId), head.record().dueMillis());
      } else if (head.before() > 0) {
        gone.add(caseId);
      }
    });
    run(connection, gone, "delete from @.due where case_id = any(?::text[])");
    run(
        connection,
        set,
        "insert into @.due (case_id, slot, due) select u.case_id, u.slot, u.due"
            + " from unnest(?::text[], ?::int2[], ?::int8[]) as u (case_id, slot, due)"
            + " on conflict (case_id) do update set due = excluded.due"
            + " where @.due.due <> excluded.due");
  }

  private void intents(Connection connection, RowChanges rows) throws SQLException {
    Columns gone = new Columns("text", "int8");
    Columns set = new Columns("text", "int8", "int2", "int4", "bytea");
    for (Map.Entry<RowChanges.PartKey, @Nullable EffectIntent> each : rows.intents.entrySet()) {
      String caseId = each.getKey().caseId();
      long effect = each.getKey().number();
      EffectIntent intent = each.getValue();
      if (intent == null) {
        gone.add(caseId, effect);
      } else {
        set.add(caseId, effect, (short) Slots.of(caseId), rows.id.node(), intent.encode());
      }
    }
    run(
        connection,
        gone,
        "delete from @.intents i using unnest(?::text[], ?::int8[]) as u (case_id, effect)"
            + " where i.case_id = u.case_id and i.effect = u.effect");
    run(
        connection,
        set,
        "insert into @.intents (case_id, effect, slot, node, intent)"
            + " select u.case_id, u.effect, u.slot, u.node, u.intent"
            + " from unnest(?::text[], ?::int8[], ?::int2[], ?::int4[], ?::bytea[])"
            + " as u (case_id, effect, slot, node, intent)"
            + " on conflict (case_id, effect)"
            + " do update set node = excluded.node, intent = excluded.intent");
  }

  private void parts(Connection connection, RowChanges rows) throws SQLException {
    Columns receipts = new Columns("text", "int8", "bytea");
    rows.receipts.forEach(
        (key, receipt) -> receipts.add(key.caseId(), key.number(), receipt.encode()));
    run(
        connection,
        receipts,
        "insert into @.receipts (case_id, number, receipt) select u.case_id, u.number, u.receipt"
            + " from unnest(?::text[], ?::int8[], ?::bytea[]) as u (case_id, number, receipt)");
    Columns keys = new Columns("text", "text", "text", "int8");
    rows.keys.forEach(
        (key, use) -> keys.add(key.first(), key.second(), use.caseId(), use.receipt()));
    run(
        connection,
        keys,
        "insert into @.keys (type, key, case_id, receipt)"
            + " select u.type, u.key, u.case_id, u.receipt"
            + " from unnest(?::text[], ?::text[], ?::text[], ?::int8[])"
            + " as u (type, key, case_id, receipt) on conflict do nothing");
    Columns claims = new Columns("text", "text");
    rows.keys.keySet().forEach(key -> claims.add(key.first(), key.second()));
    run(
        connection,
        claims,
        "delete from @.key_claims k using unnest(?::text[], ?::text[]) as u (type, key)"
            + " where k.type = u.type and k.key = u.key");
    Columns consumed = new Columns("text", "text", "int4");
    rows.consumed.forEach((key, answer) -> consumed.add(key.first(), key.second(), answer));
    rows.applied.forEach((key, message) -> {
      if (message.isConsumed() && !rows.consumed.containsKey(key)) {
        consumed.add(key.first(), key.second(), message.reply().answer());
      }
    });
    run(
        connection,
        consumed,
        "insert into @.consumed (case_id, message_id, answer)"
            + " select u.case_id, u.message_id, u.answer"
            + " from unnest(?::text[], ?::text[], ?::int4[]) as u (case_id, message_id, answer)"
            + " on conflict (case_id, message_id) do update set answer = excluded.answer");
  }

  private void trace(Connection connection, RowChanges rows) throws SQLException {
    Columns gone = new Columns("text", "int8");
    Columns set = new Columns("text", "int8", "bytea");
    rows.trace.forEach((key, part) -> {
      if (part == null) {
        gone.add(key.caseId(), key.number());
      } else {
        set.add(key.caseId(), key.number(), part);
      }
    });
    run(
        connection,
        gone,
        "delete from @.trace t using unnest(?::text[], ?::int8[]) as u (case_id, revision)"
            + " where t.case_id = u.case_id and t.revision = u.revision");
    run(
        connection,
        set,
        "insert into @.trace (case_id, revision, part) select u.case_id, u.revision, u.part"
            + " from unnest(?::text[], ?::int8[], ?::bytea[]) as u (case_id, revision, part)");
  }

  private void audit(Connection connection, List<AuditEntry> entries) throws SQLException {
    Columns added = new Columns("int8", "text", "text", "text", "text", "text", "text");
    for (AuditEntry each : entries) {
      added.add(
          each.atMillis(),
          each.actor(),
          each.action(),
          each.caseId(),
          each.subject(),
          each.outcome(),
          each.reason());
    }
    run(
        connection,
        added,
        "insert into @.audit (at, actor, action, case_id, subject, outcome, reason)"
            + " select u.at, u.actor, u.action, u.case_id, u.subject, u.outcome, u.reason"
            + " from unnest(?::int8[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],"
            + " ?::text[]) as u (at, actor, action, case_id, subject, outcome, reason)");
  }

  private void removals(Connection connection, RowChanges rows) throws SQLException {
    Columns gone = new Columns("text");
    rows.removals.forEach(gone::add);
    for (String table :
        List.of(
            "cases",
            "bases",
            "deltas",
            "\"values\"",
            "facts",
            "ended",
            "due",
            "intents",
            "receipts",
            "keys",
            "consumed",
            "trace",
            "journal")) {
      run(connection, gone, "delete from @." + table + " where case_id = any(?::text[])");
    }
  }

  /// A commit with cases whose predecessors are not the stored revisions. Its transaction is rolled
  /// back.
  static final class StaleRevision extends SQLException {
    private static final long serialVersionUID = 1L;

    /// A state that no server reports, so that nothing takes it for a transient failure.
    private static final String STATE = "D0001";

    private final TreeMap<String, String> sentences;

    /// @param sentences what is wrong with each of these cases
    StaleRevision(Map<String, String> sentences) {
      super(String.join("; ", sentences.values()), STATE);
      this.sentences = new TreeMap<>(sentences);
    }

    StaleRevision(String caseId, String sentence) {
      this(Map.of(caseId, sentence));
    }

    StoreException sentence() {
      return new StoreException(String.valueOf(getMessage()));
    }

    /// Returns what is wrong with a case; null if nothing is.
    @Nullable String sentence(String caseId) {
      return sentences.get(caseId);
    }
  }
}

package dev.damask.store.postgres;

import dev.damask.sql.CommitOutcome;
import dev.damask.sql.SqlText;
import dev.damask.sql.StoredBytes;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseImage;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoreImages;
import dev.damask.store.TableRow;
import dev.damask.value.Decoder;
import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads and writes the tables of a schema for copies. The node that copies owns all slots.
final class PostgresImages implements StoreImages {
  private final PostgresNode node;
  private final PostgresReads reads;
  private final SqlText sql;

  PostgresImages(PostgresNode node, PostgresReads reads, SqlText sql) {
    this.node = node;
    this.reads = reads;
    this.sql = sql;
  }

  @Override
  public String obstacle() {
    long waiting = reads.query("select count(*) from @.inbox", row -> row.getLong(1)).getFirst();
    if (waiting > 0) {
      return "%d messages wait in the inbox; start a node that applies them, then copy"
          .formatted(waiting);
    }
    // Readers of the audit log and of ended cases wait for older transactions.
    long hidden =
        reads
            .query(
                "select (select count(*) from @.audit where xid >= s.oldest) + (select count(*)"
                    + " from @.ended where xid >= s.oldest)"
                    + " from (select pg_snapshot_xmin(pg_current_snapshot()) as oldest) s",
                row -> row.getLong(1))
            .getFirst();
    return hidden == 0
        ? ""
        : "a transaction that is open in this database is older than %d entries; wait for its end,"
                .formatted(hidden)
            + " then copy";
  }

  @Override
  public CaseImage image(String caseId) {
    Store.LoadedCase loaded =
        reads
            .load(caseId)
            .orElseThrow(() -> new StoreException("case " + caseId + " is not in the store"));
    return new CaseImage(
        loaded.record(),
        loaded.intents(),
        reads.receipts(caseId),
        reads.query(
            "select type, key, receipt from @.keys where case_id = ? order by receipt",
            row -> new CaseCommit.KeyUse(row.getString(1), row.getString(2), row.getLong(3)),
            caseId),
        reads.query(
            "select message_id, answer from @.consumed where case_id = ? order by message_id",
            row -> new CaseCommit.Message(row.getString(1), row.getInt(2)),
            caseId),
        reads.states(caseId, 0, Long.MAX_VALUE),
        values(caseId, false),
        values(caseId, true),
        reads.journal(caseId, 0, Long.MAX_VALUE),
        reads.query(
            "select revision, part from @.trace where case_id = ? order by revision",
            row -> new Store.RevisionInputs(row.getLong(1), row.getBytes(2)),
            caseId));
  }

  private List<SharedValue> values(String caseId, boolean isLasting) {
    return reads.query(
        "select hash, value from @.\"values\" where case_id = ? and lasting = ? order by hash",
        row -> new SharedValue(Sum.read(new Decoder(row.getBytes(1))), row.getBytes(2)),
        caseId,
        isLasting);
  }

  @Override
  public List<TableRow> rows(@Nullable TableRow after, int limit) {
    return new PostgresTable(reads).all(after, limit);
  }

  @Override
  public void write(List<CaseImage> cases) {
    RowChanges rows = new RowChanges(node.nextCommit());
    for (CaseImage image : cases) {
      add(rows, image);
    }
    run(c -> {
      new RowWriter(sql).write(c, rows);
      return true;
    });
  }

  private static void add(RowChanges rows, CaseImage image) {
    String caseId = image.record().caseId();
    rows.heads.put(caseId, new RowChanges.Head(0, image.record()));
    rows.facts.add(caseId);
    for (Store.RevisionRecord each : image.states()) {
      rows.states.put(
          new RowChanges.PartKey(caseId, each.revision()),
          new RowChanges.State(each.record().header().isBase(), each.record().bytes()));
    }
    image.values().forEach(each -> rows.values.put(key(caseId, each), each.bytes()));
    image.lasting().forEach(each -> rows.lasting.put(key(caseId, each), each.bytes()));
    for (Store.RevisionInputs each : image.journal()) {
      rows.journal.put(new RowChanges.PartKey(caseId, each.revision()), each.bytes());
    }
    for (Store.RevisionInputs each : image.trace()) {
      rows.trace.put(new RowChanges.PartKey(caseId, each.revision()), each.bytes());
    }
    image
        .intents()
        .forEach(
            each -> rows.intents.put(new RowChanges.PartKey(caseId, each.id().lineage()), each));
    image
        .receipts()
        .forEach(each -> rows.receipts.put(new RowChanges.PartKey(caseId, each.number()), each));
    for (CaseCommit.KeyUse each : image.keys()) {
      rows.keys.put(
          new RowChanges.TextKey(each.type(), each.key()),
          new RowChanges.Use(caseId, each.receipt()));
    }
    for (CaseCommit.Message each : image.consumed()) {
      rows.consumed.put(new RowChanges.TextKey(caseId, each.id()), each.answer());
    }
  }

  private static RowChanges.TextKey key(String caseId, SharedValue value) {
    return new RowChanges.TextKey(caseId, HexFormat.of().formatHex(StoredBytes.of(value.hash())));
  }

  @Override
  public void finish(List<String> ended, long epoch) {
    run(c -> {
      try (PreparedStatement gone = c.prepareStatement(sql.of("delete from @.ended"));
          PreparedStatement ends =
              c.prepareStatement(
                  sql.of(
                      "insert into @.ended (case_id) select u.case_id"
                          + " from unnest(?::text[]) with ordinality as u (case_id, n)"
                          + " order by u.n"));
          PreparedStatement raised =
              c.prepareStatement(
                  sql.of(
                      "update @.cluster set last_epoch = greatest(last_epoch, ?),"
                          + " ownership = greatest(ownership, ?)"))) {
        gone.executeUpdate();
        ends.setArray(1, c.createArrayOf("text", ended.toArray()));
        ends.executeUpdate();
        raised.setLong(1, epoch);
        raised.setLong(2, epoch);
        return raised.executeUpdate();
      }
    });
  }

  private void run(FencedCommit.SqlFunction<?> work) {
    try (Connection connection = node.connections().take()) {
      switch (node.commit(connection, node.epoch(), work)) {
        case CommitOutcome.Done() -> {}
        case CommitOutcome.Refused() ->
            throw new StoreException("another node has taken over; copy into a new schema");
        case CommitOutcome.InDoubt(var e) -> throw failed(e);
        case CommitOutcome.Failed(var e, _) -> throw failed(e);
      }
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private StoreException failed(SQLException e) {
    return PostgresErrors.failure("schema " + sql.schema() + ": cannot write the copy", e);
  }
}

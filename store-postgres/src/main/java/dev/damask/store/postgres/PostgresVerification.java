package dev.damask.store.postgres;

import dev.damask.attribute.CaseFacts;
import dev.damask.attribute.IndexKey;
import dev.damask.cluster.Slots;
import dev.damask.effect.EffectIntent;
import dev.damask.store.CaseRecord;
import dev.damask.store.PastStates;
import dev.damask.store.StoreException;
import dev.damask.value.Decoder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Checks every case of a schema: records decode, receipt chains are intact, due times and slots
/// are those of the records, no row belongs to a case that does not exist, and the rows of the
/// table decode.
final class PostgresVerification {
  private final PostgresReads reads;
  private final List<String> problems = new ArrayList<>();

  PostgresVerification(PostgresReads reads) {
    this.reads = reads;
  }

  List<String> run() {
    for (String caseId : reads.ids("", "", Integer.MAX_VALUE)) {
      check(caseId);
    }
    for (String table :
        List.of(
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
      reads
          .query(
              "select distinct t.case_id from @."
                  + table
                  + " t where not exists"
                  + " (select 1 from @.cases c where c.case_id = t.case_id) order by t.case_id",
              row -> row.getString(1))
          .forEach(caseId -> problems.add("table " + table + ": row without a case: " + caseId));
    }
    problems.addAll(new PostgresTable(reads).verify());
    return problems;
  }

  private void check(String caseId) {
    try {
      CaseRecord record = reads.record(caseId).orElse(null);
      if (record == null) {
        return; // removed meanwhile
      }
      PastStates.verify(reads, record);
      record
          .receipts()
          .verify(reads.receipts(caseId))
          .forEach(each -> problems.add(caseId + ": " + each));
      checkColumns(caseId, record);
      checkFacts(caseId, record);
      reads
          .query("select intent from @.intents where case_id = ?", row -> row.getBytes(1), caseId)
          .forEach(intent -> EffectIntent.decode(intent, hash -> reads.value(caseId, hash)));
    } catch (Decoder.DamagedBytes | StoreException e) {
      problems.add("case " + caseId + ": " + e.getMessage());
    }
  }

  private void checkFacts(String caseId, CaseRecord record) {
    Set<String> expected = new TreeSet<>();
    for (CaseFacts.Entry each : record.facts().entries()) {
      String key = HexFormat.of().formatHex(IndexKey.of(each.value()));
      expected.add(each.name() + " " + key + " " + record.startedMillis());
    }
    Set<String> found =
        new TreeSet<>(
            reads.query(
                "select name, key, started from @.facts where case_id = ?",
                row ->
                    row.getString(1)
                        + " "
                        + HexFormat.of().formatHex(row.getBytes(2))
                        + " "
                        + row.getLong(3),
                caseId));
    if (!found.equals(expected)) {
      problems.add(
          "case %s: the attribute index has %s, expected %s".formatted(caseId, found, expected));
    }
  }

  private void checkColumns(String caseId, CaseRecord record) {
    String found =
        reads
            .query(
                "select c.slot, c.status, c.started, c.workflow, d.due from @.cases c"
                    + " left join @.due d on d.case_id = c.case_id where c.case_id = ?",
                row ->
                    "slot %s, status %s, started %s, workflow %s, due %s"
                        .formatted(
                            row.getString(1),
                            row.getString(2),
                            row.getString(3),
                            row.getString(4),
                            row.getString(5)),
                caseId)
            .getFirst();
    String expected =
        "slot %d, status %d, started %d, workflow %s, due %s"
            .formatted(
                Slots.of(caseId),
                record.status().number(),
                record.startedMillis(),
                record.workflow(),
                record.dueMillis() == CaseRecord.NEVER ? "null" : record.dueMillis());
    if (!found.equals(expected)) {
      problems.add("case %s: has %s, expected %s".formatted(caseId, found, expected));
    }
  }
}

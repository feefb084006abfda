package dev.damask.ops;

import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;

/// The signatures of handlers that cases were started with, by program. A row has the signatures
/// and the time at which an engine was first opened with them; a change adds the next version.
public final class SignatureRows {
  /// The kind of the rows.
  public static final String KIND = "signature";

  private SignatureRows() {}

  private record Counted(long cases, String example) {}

  /// Stores the signatures of a program if they are new, and returns those that have changed while
  /// cases wait that were started before.
  public static List<SignatureChange> update(Store store, Program program, long now) {
    Map<String, String> current = signatures(program);
    if (current.isEmpty()) {
      return List.of();
    }
    String key = program.hash().toString();
    List<TableRow> rows = store.table().versions(KIND, key, 2);
    TableRow latest = rows.isEmpty() ? null : rows.getFirst();
    if (latest == null || !read(latest).equals(current)) {
      long version = latest == null ? 1 : latest.version() + 1;
      TableRow row = new TableRow(KIND, key, version, write(current, now));
      put(store, row);
      return latest == null ? List.of() : changes(store, program, read(latest), current, now);
    }
    return rows.size() < 2
        ? List.of()
        : changes(store, program, read(rows.getLast()), current, since(latest));
  }

  private static void put(Store store, TableRow row) {
    commit(store, CommitBatch.ofRows(List.of(new RowChange.Put(row))));
  }

  /// Commits a batch and waits until it is durable.
  static void commit(Store store, CommitBatch batch) {
    try {
      store.commit(batch).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private static List<SignatureChange> changes(
      Store store,
      Program program,
      Map<String, String> before,
      Map<String, String> current,
      long since) {
    Counted counted = count(store, program, since);
    List<SignatureChange> changes = new ArrayList<>();
    current.forEach((task, signature) -> {
      String old = before.getOrDefault(task, signature);
      if (counted.cases > 0 && !old.equals(signature)) {
        changes.add(
            new SignatureChange(
                program.name(),
                program.hash(),
                task,
                old,
                signature,
                counted.cases,
                counted.example));
      }
    });
    return changes;
  }

  private static Counted count(Store store, Program program, long before) {
    Counted counted = new Counted(0, "");
    for (CaseStatus status : CaseStatus.values()) {
      if (status.isEnded() || status == CaseStatus.CORRUPT) {
        continue;
      }
      CaseQuery query =
          CaseQuery.ALL
              .withWorkflow(program.name())
              .withStatus(status)
              .withStarted(Long.MIN_VALUE, before);
      String cursor = "";
      do {
        CasePage page = store.list(query.withPage(cursor, CaseQuery.LIMIT_MAX));
        for (CaseRecord each : page.cases()) {
          if (each.program().equals(program.hash())) {
            counted = new Counted(counted.cases + 1, each.caseId());
          }
        }
        cursor = page.next();
      } while (!cursor.isEmpty());
    }
    return counted;
  }

  private static Map<String, String> signatures(Program program) {
    Map<String, String> signatures = new TreeMap<>();
    for (Pool.Task task : program.pools().tasks()) {
      if (task.template() != null && !task.template().signature().isEmpty()) {
        signatures.put(task.name(), task.template().signature());
      }
    }
    return signatures;
  }

  private static Bytes write(Map<String, String> signatures, long now) {
    Encoder out = new Encoder();
    out.whole(now);
    out.natural(signatures.size());
    signatures.forEach((task, signature) -> {
      out.text(task);
      out.text(signature);
    });
    return Bytes.of(out.toBytes());
  }

  private static long since(TableRow row) {
    return new Decoder(row.value().toArray()).whole();
  }

  private static Map<String, String> read(TableRow row) {
    Decoder in = new Decoder(row.value().toArray());
    in.whole();
    Map<String, String> signatures = new TreeMap<>();
    for (int left = in.count(); left > 0; left--) {
      signatures.put(in.text(), in.text());
    }
    return signatures;
  }
}

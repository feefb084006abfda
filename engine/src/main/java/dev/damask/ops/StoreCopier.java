package dev.damask.ops;

import dev.damask.store.AuditEntry;
import dev.damask.store.AuditRecord;
import dev.damask.store.AuditRows;
import dev.damask.store.CaseImage;
import dev.damask.store.CommitBatch;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoreImages;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.Sum;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/// Copies a whole store into an empty one: programs, cases with their history, receipts, journals
/// and traces, the order of ends, the rows beside them, claims and the audit log. Then it compares
/// everything and checks the new store.
public final class StoreCopier {
  private static final int CASES = 100;
  private static final int ROWS = 1_000;

  private final Supplier<Store> from;
  private final Supplier<Store> to;
  private final Progress progress;

  /// Receives how far a copy has come.
  @FunctionalInterface
  public interface Progress {
    /// Reports what is being done, and how many of all cases are done.
    void report(String what, int done, int all);
  }

  /// @param from opens the store to copy; it fails while an engine is open on the store
  /// @param to opens the empty store
  public StoreCopier(Supplier<Store> from, Supplier<Store> to, Progress progress) {
    this.from = from;
    this.to = to;
    this.progress = progress;
  }

  /// Copies the store and returns the number of cases. Throws [StoreException] if the target is not
  /// empty, or if the copy differs.
  public int copy() {
    try (Store source = from.get()) {
      String obstacle = source.images().obstacle();
      if (!obstacle.isEmpty()) {
        throw new StoreException(obstacle);
      }
      List<String> ids = source.ids("");
      try (Store target = to.get()) {
        requireEmpty(target);
        copy(source, target, ids);
      }
      try (Store target = to.get()) {
        verify(source, target, ids);
      }
      return ids.size();
    }
  }

  private static void requireEmpty(Store target) {
    if (!target.ids("").isEmpty()
        || !target.programs().isEmpty()
        || !target.images().rows(null, 1).isEmpty()
        || !target.audit("", 1).isEmpty()
        || !TaskClaims.of(target).list(null, 1).isEmpty()) {
      throw new StoreException("the target is not empty; copy into a new store");
    }
  }

  private void copy(Store source, Store target, List<String> ids) {
    commit(target, CommitBatch.of(source.programs()));
    beside(
        source,
        (rows, claims, audit) -> {
          List<RowChange> changes = new ArrayList<>();
          rows.forEach(row -> changes.add(new RowChange.Put(row)));
          commit(target, CommitBatch.ofRows(changes));
          TaskClaims.of(target).take(claims, Long.MIN_VALUE);
          commit(target, CommitBatch.ofAudit(audit));
        });
    StoreImages images = source.images();
    for (int i = 0; i < ids.size(); i += CASES) {
      progress.report("copied", i, ids.size());
      List<String> page = ids.subList(i, Math.min(ids.size(), i + CASES));
      target.images().write(page.stream().map(images::image).toList());
    }
    target.images().finish(ended(source), source.epoch());
    progress.report("copied", ids.size(), ids.size());
  }

  /// Receives what a store has beside its cases, page by page.
  @FunctionalInterface
  private interface Beside {
    void accept(List<TableRow> rows, List<TaskClaim> claims, List<AuditEntry> audit);
  }

  /// Claims and the audit log are rows in one store and tables in another, so they are read as what
  /// they mean.
  private static void beside(Store store, Beside to) {
    List<TableRow> rows = store.images().rows(null, ROWS);
    while (!rows.isEmpty()) {
      to.accept(rows.stream().filter(StoreCopier::isPlain).toList(), List.of(), List.of());
      rows = store.images().rows(rows.getLast(), ROWS);
    }
    List<TaskClaim> claims = TaskClaims.of(store).list(null, ROWS);
    while (!claims.isEmpty()) {
      to.accept(List.of(), claims, List.of());
      claims = TaskClaims.of(store).list(claims.getLast(), ROWS);
    }
    List<AuditRecord> audit = store.audit("", ROWS);
    while (!audit.isEmpty()) {
      to.accept(List.of(), List.of(), audit.stream().map(AuditRecord::entry).toList());
      audit = store.audit(audit.getLast().cursor(), ROWS);
    }
  }

  private static boolean isPlain(TableRow row) {
    return !row.kind().equals(TaskClaim.KIND) && !row.kind().equals(AuditRows.KIND);
  }

  /// Counts what is beside the cases of a store and adds up its hashes: stores have other orders.
  private static Tally tally(Store store) {
    Tally tally = new Tally();
    beside(
        store,
        (rows, claims, audit) -> {
          rows.forEach(tally::add);
          claims.forEach(claim -> tally.add(claim.row()));
          audit.forEach(
              entry -> tally.add(new TableRow(AuditRows.KIND, "", 1, Bytes.of(entry.encode()))));
        });
    return tally;
  }

  private static final class Tally {
    private long count;
    private Sum sum = Sum.ZERO;

    void add(TableRow row) {
      Encoder out = new Encoder();
      out.text(row.kind());
      out.text(row.key());
      out.whole(row.version());
      out.text(row.indexKey());
      out.raw(row.value());
      try {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(out.toBytes());
        sum = sum.plus(Sum.read(new Decoder(hash)));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every JDK has SHA-256", e);
      }
      count++;
    }

    boolean isSame(Tally other) {
      return count == other.count && sum.equals(other.sum);
    }
  }

  private static void commit(Store target, CommitBatch batch) {
    try {
      target.commit(batch).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StoreException failure
          ? failure
          : new StoreException("the target failed: " + e.getCause(), e);
    }
  }

  private static List<String> ended(Store store) {
    List<String> ids = new ArrayList<>();
    List<Store.EndedCase> page = store.ended("", ROWS);
    while (!page.isEmpty()) {
      page.forEach(each -> ids.add(each.caseId()));
      page = store.ended(page.getLast().cursor(), ROWS);
    }
    return ids;
  }

  private void verify(Store source, Store target, List<String> ids) {
    if (!target.ids("").equals(ids) || !ended(target).equals(ended(source))) {
      throw new StoreException("the copy has other cases than the store; do not use it");
    }
    for (int i = 0; i < ids.size(); i++) {
      if (i % CASES == 0) {
        progress.report("compared", i, ids.size());
      }
      CaseImage copied = target.images().image(ids.get(i));
      if (!copied.hasBytesOf(source.images().image(ids.get(i)))) {
        throw new StoreException("case " + ids.get(i) + ": the copy differs; do not use it");
      }
    }
    if (!tally(target).isSame(tally(source))) {
      throw new StoreException(
          "the copy has other rows, claims or audit entries than the store; do not use it");
    }
    List<String> problems = target.verify();
    if (!problems.isEmpty()) {
      throw new StoreException("the copy is not correct: " + problems.getFirst());
    }
    progress.report("compared", ids.size(), ids.size());
  }
}

package dev.damask.intake;

import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.AttributeRows;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CommitBatch;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.TableRow;
import dev.damask.term.Attribute;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// Brings the facts of stored cases up to date: those of an older store, which have none, and those
/// of programs whose attributes were declared differently before.
///
/// The store's table has one row for each program whose cases have attributes, with the declaration
/// that they are indexed by. Cases of programs without a row are indexed without attributes if the
/// store has the row [AttributeRows#ALL], and not at all otherwise. Every commit writes the facts
/// of its case, so a case that is being changed needs nothing else.
public final class IndexSync {
  /// The engine whose cases are indexed.
  public interface Host {
    /// Calls a task on a separate thread.
    void listen(String name, Runnable task);

    /// Whether the engine is open and its store works.
    boolean isOpen();

    /// Whether the engine has a program.
    boolean knows(ProgramHash program);

    /// Asks the shard of a case to index it. Completes when the index is durable.
    CompletableFuture<Boolean> index(String caseId);
  }

  private static final int PAGE = 500;

  private final Host engine;
  private final Store store;
  private final Map<ProgramHash, Program> queued = new HashMap<>(); // guarded by this
  private boolean isLaunched; // guarded by this
  private boolean isRunning; // guarded by this
  private boolean isChecked; // guarded by this: whether older cases were looked for
  private @Nullable RuntimeException failure; // guarded by this: of the last run

  /// Creates the index of an engine on a store.
  public IndexSync(Host engine, Store store) {
    this.engine = engine;
    this.store = store;
  }

  /// A program has become known, or its attributes have changed.
  public void added(Program program) {
    synchronized (this) {
      if (isLaunched && isChecked && isIndexed(program, true)) {
        return;
      }
      queued.put(program.hash(), program);
    }
    start();
  }

  /// From now on cases are brought up to date as soon as their programs are known. Most of the time
  /// there is nothing to do.
  public void launch() {
    synchronized (this) {
      isLaunched = true;
      isChecked = hasAll() || isNew();
      queued.values().removeIf(each -> isChecked && isIndexed(each, true));
    }
    start();
  }

  /// Whether the store has no case. Then the programs are indexed as they are declared.
  private boolean isNew() {
    try {
      if (!store.list(CaseQuery.ALL.withPage("", 1)).cases().isEmpty()) {
        return false;
      }
    } catch (StoreException e) {
      return false; // the run that follows reports it, should it come again
    }
    List<RowChange> rows = new ArrayList<>(List.of(row(AttributeRows.ALL, "")));
    for (Program each : queued.values()) {
      if (!each.attributes().isEmpty()) {
        rows.add(row(each.hash().toString(), declaration(each.attributes())));
      }
    }
    commit(rows);
    return true;
  }

  private boolean isIndexed(Program program, boolean isComplete) {
    String unless = isComplete ? "" : AttributeRows.UNKNOWN;
    return indexed(program.hash()).orElse(unless).equals(declaration(program.attributes()));
  }

  private void start() {
    synchronized (this) {
      if (!isLaunched || isRunning || (isChecked && queued.isEmpty())) {
        return;
      }
      isRunning = true;
    }
    engine.listen("index", this::run);
  }

  /// Waits until the facts of all cases whose programs are known are up to date. Throws
  /// [StoreException] if the store fails.
  public void await() {
    start();
    synchronized (this) {
      try {
        while (isRunning && engine.isOpen()) {
          wait(100); // the engine may be closed meanwhile
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while cases are being indexed", e);
      }
      if (failure != null) {
        throw new StoreException("the cases are not indexed: " + failure.getMessage(), failure);
      }
    }
  }

  private void run() {
    List<Program> programs = List.of();
    @Nullable RuntimeException thrown = null;
    try {
      while (true) {
        synchronized (this) {
          if (isChecked && queued.isEmpty()) {
            return;
          }
          programs = List.copyOf(queued.values());
          queued.clear();
        }
        sync(programs);
        synchronized (this) {
          isChecked = true;
        }
      }
    } catch (RuntimeException e) { // whatever the store throws: who waits for the index gets it
      thrown = e;
      if (engine.isOpen()) {
        throw e;
      }
    } finally {
      synchronized (this) {
        if (thrown != null) {
          programs.forEach(each -> queued.putIfAbsent(each.hash(), each));
        }
        failure = thrown;
        isRunning = false;
        notifyAll();
      }
    }
  }

  /// Computes the facts of all cases of a program again.
  public void again(Program program) {
    write(Set.of(program.hash()), AttributeRows.UNKNOWN);
    pass(Set.of(program.hash()));
    write(Set.of(program.hash()), declaration(program.attributes()));
  }

  private void sync(List<Program> programs) {
    boolean isComplete = hasAll();
    Map<ProgramHash, String> changed = new HashMap<>();
    for (Program each : programs) {
      if (!isIndexed(each, isComplete)) {
        changed.put(each.hash(), declaration(each.attributes()));
      }
    }
    if (changed.isEmpty() && isComplete) {
      return;
    }
    // First: if this process dies, the next one begins again, whatever it declares.
    write(changed.keySet(), AttributeRows.UNKNOWN);
    Set<ProgramHash> unknown = pass(isComplete ? changed.keySet() : null);
    write(unknown, AttributeRows.UNKNOWN);
    changed.forEach((hash, declared) -> write(Set.of(hash), declared));
    if (!isComplete) {
      commit(List.of(row(AttributeRows.ALL, "")));
    }
  }

  /// Computes the facts of the cases of these programs, or of all, and returns the programs that
  /// are not known.
  ///
  /// @param wanted null for all
  private Set<ProgramHash> pass(@Nullable Set<ProgramHash> wanted) {
    Set<ProgramHash> unknown = new HashSet<>();
    String cursor = "";
    do {
      CasePage page = store.list(CaseQuery.ALL.withPage(cursor, PAGE));
      List<CompletableFuture<Boolean>> replies = new ArrayList<>();
      for (CaseRecord record : page.cases()) {
        ProgramHash hash = programOf(record);
        if (hash == null || (wanted != null && !wanted.contains(hash))) {
          continue;
        }
        if (!engine.knows(hash)) {
          unknown.add(hash);
        } else {
          replies.add(engine.index(record.caseId()));
        }
      }
      replies.forEach(IndexSync::settle);
      cursor = page.next();
    } while (!cursor.isEmpty());
    return unknown;
  }

  private static @Nullable ProgramHash programOf(CaseRecord record) {
    try {
      return record.status() == dev.damask.store.CaseStatus.CORRUPT ? null : record.program();
    } catch (Decoder.DamagedBytes e) {
      return null; // corrupt: it is found by its id alone
    }
  }

  /// A case that was removed meanwhile, is corrupt or has lost its program is left as it is.
  private static void settle(CompletableFuture<Boolean> reply) {
    try {
      reply.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof StoreException failure) {
        throw failure;
      }
    }
  }

  private boolean hasAll() {
    return AttributeRows.isConverted(store);
  }

  private Optional<String> indexed(ProgramHash hash) {
    return store
        .table()
        .latest(AttributeRows.KIND, hash.toString())
        .map(AttributeRows::declaration);
  }

  private void write(Set<ProgramHash> programs, String declaration) {
    List<RowChange> rows = new ArrayList<>();
    programs.forEach(hash -> rows.add(row(hash.toString(), declaration)));
    if (!rows.isEmpty()) {
      commit(rows);
    }
  }

  private void commit(List<RowChange> rows) {
    Replies.get(store.commit(CommitBatch.ofRows(rows)));
  }

  private static RowChange row(String key, String declaration) {
    Bytes value = Bytes.of(declaration.getBytes(StandardCharsets.UTF_8));
    return new RowChange.Put(new TableRow(AttributeRows.KIND, key, 0, value));
  }

  /// The declaration of attributes as rows have it; empty if there are none.
  public static String declaration(List<Attribute> attributes) {
    TreeSet<String> lines = new TreeSet<>();
    for (Attribute each : attributes) {
      lines.add(each.name() + " " + each.type() + " " + each.reads() + " " + each.value().text());
    }
    return String.join("\n", lines);
  }
}

package dev.damask.store;

import dev.damask.attribute.FactIndex;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.program.ProgramHash;
import dev.damask.task.EffectId;
import dev.damask.value.Decoder;
import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Keeps cases as long as the program runs. It survives the closing of an engine, so that tests can
/// open another one on it.
public final class MemoryStore implements Store {
  /// One case and what belongs to it.
  private static final class Entry {
    CaseRecord record;
    final List<Receipt> receipts = new ArrayList<>(0);
    final TreeMap<Long, byte[]> trace = new TreeMap<>(); // by revision
    final TreeMap<Long, StateChange.Stored> states = new TreeMap<>(); // by revision

    // Made with their first entries: most cases have none.
    Map<EffectId, EffectIntent> intents = Map.of();
    long ended; // its number in the order of ends; 0 before its end
    Map<String, Integer> consumed = Map.of();
    Map<Sum, byte[]> values = Map.of();
    Map<Sum, byte[]> lasting = Map.of(); // values that the journal refers to
    List<List<String>> keys = List.of(); // the keys that name a receipt of this case
    final TreeMap<Long, byte[]> journal = new TreeMap<>(); // by revision

    byte @Nullable [] value(Sum hash) {
      byte[] own = values.get(hash);
      return own == null ? lasting.get(hash) : own;
    }

    Entry(CaseRecord record) {
      this.record = record;
    }
  }

  // All guarded by this.
  private final TreeMap<String, Entry> entries = new TreeMap<>();
  private final CaseIndex index = new CaseIndex();
  private final Map<List<String>, KeyedReceipt> keys = new HashMap<>();
  private final Map<ProgramHash, StoredProgram> programs = new HashMap<>();
  private final MemoryTable table = new MemoryTable();
  private final NavigableSet<DueCase> due = new TreeSet<>();
  private final MemoryIndex facts = new MemoryIndex();
  private final TreeMap<Long, String> ended = new TreeMap<>(); // cases by the order of their ends
  private long lastEnded;
  private long lastAudited;
  private List<String> suspects = List.of();
  private long epoch = 1;

  // By shard, each entry written by its shard: a shard must not wait for another one or for a list.
  private final Map<Integer, String> moving = new ConcurrentSkipListMap<>();

  /// Takes the store over for the next engine.
  public synchronized MemoryStore reopened() {
    epoch++;
    suspects = List.copyOf(moving.values());
    moving.clear();
    return this;
  }

  @Override
  public synchronized CompletableFuture<Void> commit(CommitBatch batch) {
    try {
      for (CaseCommit commit : batch.cases()) {
        Entry entry = entries.get(commit.record().caseId());
        Commits.require(entry == null ? null : entry.record, commit.record(), epoch);
        apply(commit);
      }
      batch.programs().forEach(program -> programs.put(program.hash(), program));
      batch.removals().forEach(this::remove);
      batch.rows().forEach(table::apply);
      batch.audit().forEach(entry -> table.apply(AuditRows.put(++lastAudited, entry)));
      return CompletableFuture.completedFuture(null);
    } catch (StoreException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void apply(CaseCommit commit) {
    CaseRecord record = commit.record();
    Entry entry = entryOf(record);
    StateChange change = commit.state();
    if (change != null) {
      entry.states.put(record.revision(), change.record());
      entry.states.headMap(change.kept()).clear();
      List<SharedValue> added = commit.journal().without(change.added());
      if (!added.isEmpty() && entry.values.isEmpty()) {
        entry.values = new HashMap<>();
      }
      if (!entry.values.isEmpty()) {
        change.removed().forEach(entry.values::remove);
      }
      added.forEach(value -> entry.values.put(value.hash(), value.bytes()));
    }
    JournalPart journal = commit.journal();
    if (!journal.values().isEmpty() && entry.lasting.isEmpty()) {
      entry.lasting = new HashMap<>();
    }
    journal.values().forEach(value -> entry.lasting.put(value.hash(), value.bytes()));
    if (journal.bytes().length > 0) {
      entry.journal.put(record.revision(), journal.bytes());
    }
    if (record.dueMillis() != CaseRecord.NEVER) {
      due.add(new DueCase(record.dueMillis(), record.caseId()));
    }
    addEffects(entry, commit);
    if (commit.trace().length > 0) {
      entry.trace.put(record.revision(), commit.trace());
    }
    entry.trace.remove(commit.traceDropped());
  }

  /// The entry of a case with its next record, which the indexes know.
  private Entry entryOf(CaseRecord record) {
    Entry entry = entries.get(record.caseId());
    index.put(entry == null ? null : entry.record, record);
    facts.change(entry == null ? null : entry.record, record);
    if (entry == null) {
      entry = new Entry(record);
      entries.put(record.caseId(), entry);
    } else if (entry.record.dueMillis() != CaseRecord.NEVER) {
      due.remove(new DueCase(entry.record.dueMillis(), record.caseId()));
    }
    entry.record = record;
    if (record.status().isEnded() && entry.ended == 0) {
      entry.ended = ++lastEnded;
      ended.put(entry.ended, record.caseId());
    }
    return entry;
  }

  private void addEffects(Entry entry, CaseCommit commit) {
    if (!commit.intentsAdded().isEmpty() && entry.intents.isEmpty()) {
      entry.intents = new LinkedHashMap<>();
    }
    if (!entry.intents.isEmpty()) {
      commit.intentsRemoved().forEach(entry.intents::remove);
    }
    commit.intentsAdded().forEach(intent -> entry.intents.put(intent.id(), intent));
    entry.receipts.addAll(commit.receipts());
    if (!commit.consumed().isEmpty() && entry.consumed.isEmpty()) {
      entry.consumed = new HashMap<>();
    }
    commit.consumed().forEach(message -> entry.consumed.put(message.id(), message.answer()));
    for (CaseCommit.KeyUse use : commit.keys()) {
      Receipt receipt = entry.receipts.get((int) use.receipt() - 1);
      List<String> key = List.of(use.type(), use.key());
      if (keys.putIfAbsent(key, new KeyedReceipt(commit.record().caseId(), receipt)) == null) {
        entry.keys = entry.keys.isEmpty() ? new ArrayList<>() : entry.keys;
        entry.keys.add(key);
      }
    }
  }

  private void remove(String caseId) {
    Entry entry = entries.remove(caseId);
    if (entry != null) {
      index.remove(entry.record);
      facts.remove(entry.record);
      ended.remove(entry.ended);
      due.remove(new DueCase(entry.record.dueMillis(), caseId));
      entry.keys.forEach(keys::remove);
    }
  }

  @Override
  public synchronized long epoch() {
    return epoch;
  }

  @Override
  public synchronized Optional<LoadedCase> load(String caseId) {
    return Optional.ofNullable(entries.get(caseId))
        .map(entry -> new LoadedCase(shown(entry), List.copyOf(entry.intents.values())));
  }

  /// The record of a case, with the way to its state. What it reads is what is stored now.
  private static CaseRecord shown(Entry entry) {
    if (!(entry.record.state() instanceof StoredState.Head head)) {
      return entry.record;
    }
    StoredState.Chain chain = chain(entry, head.base(), entry.record.revision());
    return entry.record.withState(head.with(() -> chain));
  }

  private static StoredState.Chain chain(Entry entry, long from, long to) {
    List<StateChange.Stored> records =
        List.copyOf(entry.states.subMap(from, true, to, true).values());
    Map<Sum, byte[]> values = new HashMap<>();
    for (Sum hash : PastStates.values(records)) {
      byte[] value = entry.value(hash);
      if (value != null) {
        values.put(hash, value);
      }
    }
    return new StoredState.Chain(to, records, values::get);
  }

  @Override
  public synchronized List<RevisionRecord> states(String caseId, long from, long to) {
    Entry entry = entries.get(caseId);
    List<RevisionRecord> records = new ArrayList<>();
    if (entry != null) {
      entry
          .states
          .subMap(from, true, to, true)
          .forEach((revision, record) -> records.add(new RevisionRecord(revision, record)));
    }
    return records;
  }

  @Override
  public synchronized byte @Nullable [] value(String caseId, Sum hash) {
    Entry entry = entries.get(caseId);
    return entry == null ? null : entry.value(hash);
  }

  @Override
  public synchronized List<RevisionInputs> journal(String caseId, long from, long to) {
    Entry entry = entries.get(caseId);
    List<RevisionInputs> found = new ArrayList<>();
    if (entry != null) {
      entry
          .journal
          .subMap(from, true, to, true)
          .forEach((revision, bytes) -> found.add(new RevisionInputs(revision, bytes)));
    }
    return found;
  }

  @Override
  public synchronized List<Receipt> receipts(String caseId) {
    Entry entry = entries.get(caseId);
    return entry == null ? List.of() : List.copyOf(entry.receipts);
  }

  @Override
  public synchronized Optional<KeyedReceipt> receiptByKey(String type, String key) {
    return Optional.ofNullable(keys.get(List.of(type, key)));
  }

  @Override
  public synchronized OptionalInt consumed(String caseId, String messageId) {
    Entry entry = entries.get(caseId);
    Integer answer = entry == null ? null : entry.consumed.get(messageId);
    return answer == null ? OptionalInt.empty() : OptionalInt.of(answer);
  }

  @Override
  public synchronized List<byte[]> trace(String caseId, long from) {
    Entry entry = entries.get(caseId);
    return entry == null ? List.of() : List.copyOf(entry.trace.tailMap(from).values());
  }

  @Override
  public synchronized List<DueCase> due(DueCase after, int limit) {
    List<DueCase> page = new ArrayList<>();
    for (DueCase next = due.higher(after);
        next != null && page.size() < limit;
        next = due.higher(next)) {
      page.add(next);
    }
    return page;
  }

  @Override
  public synchronized void scanActive(Consumer<String> action) {
    for (Entry entry : entries.values()) {
      if (entry.record.status() == CaseStatus.RUNNING || !entry.intents.isEmpty()) {
        action.accept(entry.record.caseId());
      }
    }
  }

  @Override
  public synchronized List<String> ids(String prefix, String after, int limit) {
    String from = after.compareTo(prefix) > 0 ? after : prefix;
    return entries.tailMap(from).keySet().stream()
        .dropWhile(id -> id.equals(after))
        .takeWhile(id -> id.startsWith(prefix))
        .limit(limit)
        .toList();
  }

  /// The entries by which cases are found. Must not be used while cases are being committed.
  public FactIndex index() {
    return facts;
  }

  @Override
  public Table table() {
    return table;
  }

  @Override
  public synchronized List<EndedCase> ended(String after, int limit) {
    long from = EndCursor.number(after);
    return ended.tailMap(from, false).entrySet().stream()
        .limit(limit)
        .map(each -> new EndedCase(EndCursor.of(each.getKey()), each.getValue()))
        .toList();
  }

  @Override
  public synchronized CasePage list(CaseQuery query) {
    if (!query.conditions().isEmpty()) {
      return QueryWalk.page(
          facts, id -> Optional.ofNullable(entries.get(id)).map(MemoryStore::shown), query);
    }
    CasePage page = index.page(query, id -> Objects.requireNonNull(entries.get(id)).record);
    List<CaseRecord> shown = new ArrayList<>(page.cases().size());
    for (CaseRecord each : page.cases()) {
      shown.add(shown(Objects.requireNonNull(entries.get(each.caseId()))));
    }
    return new CasePage(shown, page.next());
  }

  @Override
  public synchronized Optional<StoredProgram> program(ProgramHash hash) {
    return Optional.ofNullable(programs.get(hash));
  }

  @Override
  public synchronized List<StoredProgram> programs() {
    return List.copyOf(programs.values());
  }

  @Override
  public void moving(int shard, String caseId) {
    if (caseId.isEmpty()) {
      moving.remove(shard);
    } else {
      moving.put(shard, caseId);
    }
  }

  @Override
  public synchronized List<String> suspects() {
    return suspects;
  }

  @Override
  public boolean hasRoom() {
    return true;
  }

  @Override
  public synchronized List<String> verify() {
    List<String> problems = new ArrayList<>();
    if (!facts.agrees(entries.values().stream().map(entry -> entry.record).toList())) {
      problems.add("index: its entries are not those of the cases");
    }
    for (Entry entry : entries.values()) {
      String caseId = entry.record.caseId();
      try {
        PastStates.verify(this, shown(entry));
      } catch (Decoder.DamagedBytes e) {
        problems.add("case " + caseId + ": " + e.getMessage());
      }
      for (String problem : entry.record.receipts().verify(entry.receipts)) {
        problems.add("case " + caseId + ": " + problem);
      }
    }
    return problems;
  }

  @Override
  public void backup(Path folder, Backup files) {
    throw new StoreException("a store in memory has no backup: open the engine on a directory");
  }

  @Override
  public void close() {}
}

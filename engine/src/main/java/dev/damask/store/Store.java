package dev.damask.store;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectTransaction;
import dev.damask.effect.Receipt;
import dev.damask.program.ProgramHash;
import dev.damask.task.EffectId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// The port to a store of cases. A store throws [StoreException] and no other exception for
/// failures of the disk or the network.
///
/// Reads see every commit whose future has completed, and may see later ones.
public interface Store extends CaseSource, AutoCloseable {
  /// Makes a batch durable. The parts of one case are atomic, and a batch with changes of the
  /// [Table] is atomic as a whole; batches become durable in the order they were given. The future
  /// completes when the batch is durable, or with a [StoreException], and then nothing of it or of
  /// any later batch may be acknowledged.
  ///
  /// A commit is refused when its revision is not the one after the stored one, or its epoch is not
  /// the newest.
  CompletableFuture<Void> commit(CommitBatch batch);

  /// Makes batches durable as [#commit] does, in one write where the store can. On a store that
  /// nodes share, a [CaseMovedException] of one batch concerns no other. Returns a future for each.
  default List<CompletableFuture<Void>> commitAll(List<CommitBatch> batches) {
    return batches.stream().map(this::commit).toList();
  }

  /// Makes a batch durable as [#commit] does, for a platform thread that has nothing else to do. If
  /// the store has nothing to write, it may write and sync the batch on the calling thread; the
  /// future is complete then.
  default CompletableFuture<Void> commitHere(CommitBatch batch) {
    return commit(batch);
  }

  /// Returns the directory of the store, which this process holds alone; empty if it has none.
  default Optional<Path> folder() {
    return Optional.empty();
  }

  /// Returns the number of this opening of the store; it grows with every opening.
  long epoch();

  /// Returns a case with its state and its open effects, in one read: all are of one revision,
  /// whatever is committed meanwhile. Throws [CorruptCaseException] when it cannot be read, here
  /// and in everything below that reads one case.
  Optional<LoadedCase> load(String caseId);

  /// Returns the record of a case without its open effects. A store may read the state when it is
  /// asked for; that throws [SupersededStateException] if a later commit has replaced the state. A
  /// caller that needs the state uses [#load].
  @Override
  default Optional<CaseRecord> record(String caseId) {
    return load(caseId).map(LoadedCase::record);
  }

  /// Returns the open effects of a case; empty if the case does not exist.
  default List<EffectIntent> intents(String caseId) {
    return load(caseId).map(LoadedCase::intents).orElse(List.of());
  }

  /// The receipt with which an effect of this type and user's key succeeded.
  Optional<KeyedReceipt> receiptByKey(String type, String key);

  /// Returns the number of the reply to a message that a case has consumed; empty if it has not.
  OptionalInt consumed(String caseId, String messageId);

  /// Returns the parts of a case's trace, in order.
  default List<byte[]> trace(String caseId) {
    return trace(caseId, 0);
  }

  /// Returns the latest parts of a case's trace, in order.
  ///
  /// @param from only parts of this revision and later ones
  List<byte[]> trace(String caseId, long from);

  /// The next cases with a timer, in the order of due time and id.
  ///
  /// @param after only cases after this one; [DueCase#FIRST] for the first page
  List<DueCase> due(DueCase after, int limit);

  /// Passes the id of every case that has open effects or was committed while it could still move.
  void scanActive(Consumer<String> action);

  /// The ids of the cases that begin with a prefix, in their order. Reads no case.
  default List<String> ids(String prefix) {
    return ids(prefix, Integer.MAX_VALUE);
  }

  /// Returns the first ids that begin with a prefix, in their order, at most this many.
  default List<String> ids(String prefix, int limit) {
    return ids(prefix, "", limit);
  }

  /// Returns the first ids after another one that begin with a prefix, in their order, at most this
  /// many.
  ///
  /// @param after empty for the first ids
  List<String> ids(String prefix, String after, int limit);

  /// Returns the cases that have ended, in the order in which their ends became durable. A case
  /// that is removed leaves the order; the others keep their cursors.
  ///
  /// @param after only cases after this cursor; empty for the first page
  List<EndedCase> ended(String after, int limit);

  /// Returns one page of the cases that match a query, with their records as [#record] returns
  /// them.
  CasePage list(CaseQuery query);

  /// The rows that the store keeps beside its cases.
  Table table();

  /// Returns entries of the audit log in the order in which they became durable.
  ///
  /// @param after only entries after this cursor; empty for the first page
  default List<AuditRecord> audit(String after, int limit) {
    return AuditRows.list(table(), after, limit);
  }

  /// Removes the oldest entries of the audit log, at most so many, that were written before a time.
  /// Returns how many. Durable when it returns.
  default int trimAudit(long beforeMillis, int limit) {
    List<RowChange> gone = AuditRows.before(table(), beforeMillis, limit);
    if (!gone.isEmpty()) {
      commit(CommitBatch.ofRows(gone)).join();
    }
    return gone.size();
  }

  /// Returns a stored program by its hash.
  Optional<StoredProgram> program(ProgramHash hash);

  /// Returns all stored programs.
  List<StoredProgram> programs();

  /// Remembers which case a shard moves right now; empty for none. It must cost next to nothing and
  /// survive the death of the process, not that of the machine.
  void moving(int shard, String caseId);

  /// Returns the cases that were being moved when the previous process died.
  List<String> suspects();

  /// Returns whether there is room for new cases.
  boolean hasRoom();

  /// Checks everything and returns one sentence for each inconsistency; empty when there is none.
  List<String> verify();

  /// Writes a copy that can be opened like the original into a directory that does not exist yet.
  void backup(Path folder, Backup files);

  /// What a backup holds of files that the store never changes again.
  enum Backup {
    /// Copies: damage to a file of the store does not reach the backup.
    COPIES,
    /// Hard links where the file system has them: fast and small, for a copy that is moved away at
    /// once.
    LINKS
  }

  @Override
  void close();

  /// A case as it was committed last, and its open effects.
  ///
  /// @param elsewhere the open effects whose calls run on other nodes of a cluster
  record LoadedCase(CaseRecord record, List<EffectIntent> intents, Set<EffectId> elsewhere) {
    public LoadedCase {
      intents = List.copyOf(intents);
      elsewhere = Set.copyOf(elsewhere);
    }

    /// Creates a case whose calls run nowhere else.
    public LoadedCase(CaseRecord record, List<EffectIntent> intents) {
      this(record, intents, Set.of());
    }
  }

  /// The inputs of one revision, as [JournalPart] has them.
  @SuppressWarnings("ArrayRecordComponent") // compared as bytes where it is compared
  record RevisionInputs(long revision, byte[] bytes) {}

  /// The base or delta of one revision.
  record RevisionRecord(long revision, StateChange.Stored record) {}

  /// A case and when its next timer is due.
  record DueCase(long dueMillis, String caseId) implements Comparable<DueCase> {
    /// Comes before every case.
    public static final DueCase FIRST = new DueCase(Long.MIN_VALUE, "");

    @Override
    public int compareTo(DueCase other) {
      int byTime = Long.compare(dueMillis, other.dueMillis);
      return byTime != 0 ? byTime : caseId.compareTo(other.caseId);
    }
  }

  /// A case that has ended.
  ///
  /// @param cursor its place in the order of ends
  record EndedCase(String cursor, String caseId) {}

  /// A receipt and the case it belongs to.
  record KeyedReceipt(String caseId, Receipt receipt) {}

  /// Returns what copies the whole store. Throws [StoreException] if the store cannot be copied.
  default StoreImages images() {
    throw new StoreException("this store cannot be copied");
  }

  /// Returns whether handlers can join the transaction that commits a case.
  default boolean joinsTransactions() {
    return false;
  }

  /// Begins a transaction for a handler. Waits while the database is away, until the thread is
  /// interrupted. Only on a store that joins transactions.
  default EffectTransaction begin(EffectCall call) {
    throw new StoreException("the store joins no transactions");
  }

  /// Makes a batch of one case durable as the last statements of a transaction that this store has
  /// begun, and waits for it. The transaction has ended afterwards, whatever happened. Every
  /// earlier batch with the case must be durable. Throws [StoreException] as [#commit] reports it.
  default JoinOutcome commit(CommitBatch batch, EffectTransaction transaction) {
    throw new StoreException("the store joins no transactions");
  }
}

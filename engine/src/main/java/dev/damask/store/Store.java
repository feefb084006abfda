package dev.damask.store;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.program.ProgramHash;
import dev.damask.value.Sum;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The port to whatever keeps cases. What goes wrong outside is a [StoreException] and nothing
/// else.
///
/// Reads see every commit whose future has completed, and may see later ones.
public interface Store extends AutoCloseable {
  /// Makes a batch durable. The parts of one case are atomic; batches become durable in the order
  /// they were given. The future completes when the batch is durable, or with a [StoreException],
  /// and then nothing of it or of any later batch may be acknowledged.
  ///
  /// A commit is refused when its revision is not the one after the stored one, or its epoch is not
  /// the newest.
  CompletableFuture<Void> commit(CommitBatch batch);

  /// The number of this opening of the store; it grows with every opening.
  long epoch();

  /// A case with its open effects, in one read. Throws [CorruptCaseException] when it cannot be
  /// read, here and in everything below that reads one case.
  Optional<LoadedCase> load(String caseId);

  /// The record of a case, without its open effects.
  default Optional<CaseRecord> record(String caseId) {
    return load(caseId).map(LoadedCase::record);
  }

  /// The open effects of a case; empty if there is no such case.
  default List<EffectIntent> intents(String caseId) {
    return load(caseId).map(LoadedCase::intents).orElse(List.of());
  }

  /// The receipts of a case, in order.
  List<Receipt> receipts(String caseId);

  /// The receipt with which an effect of this type and user's key succeeded.
  Optional<KeyedReceipt> receiptByKey(String type, String key);

  /// What was answered to a message that a case has consumed; empty when it never has.
  OptionalInt consumed(String caseId, String messageId);

  /// The parts of a case's trace, in order.
  List<byte[]> trace(String caseId);

  /// The bases and deltas of a case from one revision to another, both included, in order; empty if
  /// there is no such case. A case that was not converted from an older format has none.
  List<RevisionRecord> states(String caseId, long from, long to);

  /// A value of a case by its hash; null if the case has none.
  byte @Nullable [] value(String caseId, Sum hash);

  /// The next cases with a timer, in the order of due time and id.
  ///
  /// @param after only those behind this one; [DueCase#FIRST] for the first page
  List<DueCase> due(DueCase after, int limit);

  /// Every case that has open effects or was committed while it could still move.
  void scanActive(Consumer<String> action);

  /// The ids of the cases that begin with a prefix, in their order. Reads no case.
  List<String> ids(String prefix);

  CasePage list(CaseQuery query);

  Optional<StoredProgram> program(ProgramHash hash);

  List<StoredProgram> programs();

  /// Remembers which case a shard moves right now; empty for none. It must cost next to nothing and
  /// survive the death of the process, not that of the machine.
  void moving(int shard, String caseId);

  /// The cases that were being moved when the process before this one died.
  List<String> suspects();

  /// Whether there is room for new cases.
  boolean hasRoom();

  /// Looks at everything: one sentence for each thing that does not fit; empty when all does.
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
  record LoadedCase(CaseRecord record, List<EffectIntent> intents) {
    public LoadedCase {
      intents = List.copyOf(intents);
    }
  }

  /// The base or delta of one revision.
  record RevisionRecord(long revision, StateChange.Stored record) {}

  /// A case and when its next timer is due.
  record DueCase(long dueMillis, String caseId) implements Comparable<DueCase> {
    public static final DueCase FIRST = new DueCase(Long.MIN_VALUE, "");

    @Override
    public int compareTo(DueCase other) {
      int byTime = Long.compare(dueMillis, other.dueMillis);
      return byTime != 0 ? byTime : caseId.compareTo(other.caseId);
    }
  }

  /// A receipt and the case it belongs to.
  record KeyedReceipt(String caseId, Receipt receipt) {}
}

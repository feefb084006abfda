package dev.damask.store;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.program.ProgramHash;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// The port to whatever keeps cases. What goes wrong outside is a [StoreFailure] and nothing else.
///
/// Reads see every commit whose future has completed, and may see later ones.
public interface Store extends AutoCloseable {
  /// Makes a batch durable. The parts of one case are atomic; batches become durable in the order
  /// they were given. The future completes when the batch is durable, or with a [StoreFailure], and
  /// then nothing of it or of any later batch may be acknowledged.
  ///
  /// A commit is refused when its revision is not the one after the stored one, or its epoch is not
  /// the newest.
  CompletableFuture<Void> commit(CommitBatch batch);

  /// The number of this opening of the store; it grows with every opening.
  long epoch();

  Optional<CaseRecord> load(String caseId);

  /// The open effects of a case.
  List<EffectIntent> intents(String caseId);

  /// The receipts of a case, in order.
  List<Receipt> receipts(String caseId);

  /// The receipt with which an effect of this type and user's key succeeded.
  Optional<KeyedReceipt> receiptByKey(String type, String key);

  /// What was answered to a message that a case has consumed; empty when it never has.
  OptionalInt consumed(String caseId, String messageId);

  /// The parts of a case's trace, in order.
  List<byte[]> trace(String caseId);

  /// Every case that has a timer, with its due time.
  void scanDue(Consumer<DueCase> action);

  /// Every case that has open effects or was committed while it could still move.
  void scanActive(Consumer<String> action);

  CasePage list(CaseQuery query);

  Optional<StoredProgram> program(ProgramHash hash);

  /// Looks at everything: one sentence for each thing that does not fit; empty when all does.
  List<String> verify();

  /// Writes a copy that can be opened like the original into a folder that does not exist yet.
  void backup(Path folder);

  @Override
  void close();

  /// A case and when its next timer is due.
  record DueCase(long dueMillis, String caseId) {}

  /// A receipt and the case it belongs to.
  record KeyedReceipt(String caseId, Receipt receipt) {}
}

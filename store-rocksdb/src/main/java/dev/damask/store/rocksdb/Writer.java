package dev.damask.store.rocksdb;

import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.ErrorPolicy;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.nursery.ThreadKind;
import dev.damask.store.CommitBatch;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/// Writes all waiting commits with one sync and completes them after it ([GroupCommit]).
///
/// Two platform threads: one encodes batches as they arrive, the other writes and syncs everything
/// that is encoded. While a sync waits for the disk, the next batches are encoded. Platform threads
/// are used because a native call pins the carrier of a virtual thread. One thread writes, because
/// several would each need a sync that one thread can share. While nothing else is to be written, a
/// committer that waits for its batch writes it itself, without a handoff.
final class Writer implements AutoCloseable {
  private final GroupCommit<?> commits;
  private final Nursery nursery =
      Nursery.open(NurseryOptions.named("store").withPolicy(ErrorPolicy.SUPERVISE));

  Writer(GroupCommit.Pen<?> pen) {
    this.commits = new GroupCommit<>(pen);
    launch("store-encoder", commits::addNext);
    launch("store-writer", commits::writeNext);
  }

  private void launch(String name, BooleanSupplier step) {
    nursery.launch(
        ChildOptions.named(name).withThread(ThreadKind.PLATFORM),
        _ -> {
          while (step.getAsBoolean()) {
            // until the last entry
          }
        });
  }

  CompletableFuture<Void> commit(CommitBatch batch) {
    return commits.commit(batch);
  }

  CompletableFuture<Void> commitHere(CommitBatch batch) {
    return StackProbe.hasRoom() ? commits.commitHere(batch) : commits.commit(batch);
  }

  @Override
  public void close() {
    if (commits.close()) {
      nursery.seal();
      nursery.close();
    }
  }
}

package dev.damask.store.rocksdb;

import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.ThreadKind;
import dev.damask.store.CommitBatch;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/// Writes with one sync whatever has come, and only then says so ([GroupCommit]).
///
/// Two platform threads: one turns batches into bytes as they come, the other one writes whatever
/// there is; while a sync waits for the disk, the next bytes are made. Platform threads, because a
/// native call holds the carrier of a virtual one; one that writes, because many would each pay for
/// a sync that one could pay for all.
final class Writer implements AutoCloseable {
  private final GroupCommit<?> commits;
  private final Nursery nursery = Nursery.open("store");

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

  @Override
  public void close() {
    if (commits.close()) {
      nursery.close();
    }
  }
}

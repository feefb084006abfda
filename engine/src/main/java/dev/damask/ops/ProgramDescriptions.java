package dev.damask.ops;

import dev.damask.description.Description;
import dev.damask.nursery.SpawnRefused;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.CommitBatch;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoredProgram;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The descriptions of the programs of one engine: writes those of its workflows and reads those of
/// programs whose code it does not have.
///
/// Thread-safe.
public final class ProgramDescriptions {
  private final Store store;
  private final Map<ProgramHash, WorkflowDefinition> unwritten = new ConcurrentHashMap<>();
  private final Map<ProgramHash, Program> read = new ConcurrentHashMap<>();
  private volatile boolean isLaunched; // written once, read by every caller
  private volatile Consumer<Runnable> background = _ -> {}; // written once, read by every caller

  /// Creates the descriptions of an engine on a store.
  public ProgramDescriptions(Store store) {
    this.store = store;
  }

  /// A workflow has become known.
  public void known(WorkflowDefinition workflow, Program program) {
    if (Description.isPossible(workflow)) {
      unwritten.put(program.hash(), workflow);
      try {
        background.accept(this::writeQuietly);
      } catch (SpawnRefused e) {
        return; // the engine closes; the next one writes it
      }
    }
  }

  /// Whether the store has this description, or a document, which describes its program better. The
  /// lines and the redacted keys of a program may change while its hash stays.
  private boolean isStored(ProgramHash hash, WorkflowDefinition workflow) {
    return store.program(hash).filter(each -> each.source().length() > 0).isPresent()
        || store
            .table()
            .latest(DescriptionRows.KIND, hash.toString())
            .filter(DescriptionRows.row(workflow, hash)::equals)
            .isPresent();
  }

  /// The engine has its threads. Without them, in an engine that a test drives, nothing is written,
  /// because no thread can wait for a commit.
  ///
  /// @param threads runs an action on another thread
  public void launch(Consumer<Runnable> threads) {
    isLaunched = true;
    background = threads;
    threads.accept(this::writeQuietly);
  }

  private void writeQuietly() {
    try {
      writeIfLaunched();
    } catch (StoreException | IllegalStateException e) { // the next engine writes it
      System.getLogger(ProgramDescriptions.class.getName())
          .log(System.Logger.Level.DEBUG, "a description is not written", e);
    }
  }

  /// Writes every description that the store does not have; durable when it returns.
  public synchronized void writeIfLaunched() {
    if (!isLaunched || unwritten.isEmpty()) {
      return;
    }
    unwritten.entrySet().removeIf(each -> isStored(each.getKey(), each.getValue()));
    Map<ProgramHash, WorkflowDefinition> written = Map.copyOf(unwritten);
    List<StoredProgram> programs = new ArrayList<>();
    List<RowChange> rows = new ArrayList<>();
    written.forEach((hash, workflow) -> {
      rows.add(new RowChange.Put(DescriptionRows.row(workflow, hash)));
      if (store.program(hash).isEmpty()) {
        programs.add(new StoredProgram(hash, workflow.name(), Bytes.of()));
      }
    });
    if (!rows.isEmpty()) {
      SignatureRows.commit(store, new CommitBatch(List.of(), programs, List.of(), rows));
      unwritten.keySet().removeAll(written.keySet());
    }
  }

  /// Stores the document of a program, which then needs no description.
  public synchronized void document(ProgramHash hash, Runnable storing) {
    unwritten.remove(hash);
    storing.run();
  }

  /// The program of a description, for views; null if the store has none.
  public @Nullable Program find(ProgramHash hash) {
    Program known = read.get(hash);
    if (known != null) {
      return known;
    }
    Program found =
        DescriptionRows.find(store, hash).map(DescriptionRows.Described::program).orElse(null);
    if (found != null) {
      read.put(hash, found);
    }
    return found;
  }
}

package dev.damask.cases;

import dev.damask.check.Finding;
import dev.damask.check.TermCheck;
import dev.damask.store.MemoryStore;
import dev.damask.store.SharedStore;
import dev.damask.store.Store;
import dev.damask.store.StoreCluster;
import dev.damask.store.StoreProvider;
import dev.damask.term.Workflow;
import java.nio.file.Path;
import java.util.List;

/// The ways to open an [Engine].
abstract sealed class Openings extends TaskInputs permits Engine {
  Openings(Store store, Programs programs) {
    super(store, programs);
  }

  /// An engine in memory: nothing outlives it.
  public static Engine open(Workflow<?, ?>... workflows) {
    return open(EngineOptions.defaults(), new MemoryStore(), workflows);
  }

  /// An engine on a folder. Cases found there go on as soon as their programs are registered.
  public static Engine open(Path folder, Workflow<?, ?>... workflows) {
    return open(EngineOptions.defaults(), folder, workflows);
  }

  /// Opens an engine on the store in a directory, which is created if it does not exist.
  public static Engine open(EngineOptions options, Path folder, Workflow<?, ?>... workflows) {
    return open(options, StoreProvider.find().open(folder), workflows);
  }

  /// An engine on a store, which it closes when it is closed.
  public static Engine open(EngineOptions options, Store store, Workflow<?, ?>... workflows) {
    boolean isOpen = false;
    try {
      Programs programs = new Programs(store, options.sources());
      Engine engine = new Engine(options, store, programs, Engine::runner, workflows);
      engine.launch();
      isOpen = true;
      return engine;
    } finally {
      if (!isOpen) {
        store.close();
      }
    }
  }

  /// Opens an engine as one node of a cluster. Several engines share its cases; each moves those of
  /// the slots that it owns, and every method may be called about a case of any node. Timers follow
  /// the clock of the cluster. When the engine is closed, it leaves the cluster.
  public static Engine open(
      EngineOptions options, StoreCluster cluster, Workflow<?, ?>... workflows) {
    SharedStore store = cluster.join();
    return open(options.withClock(ClusterNode.clock(store)), store, workflows);
  }

  /// What is wrong with a workflow; empty when nothing is.
  public static List<Finding> check(Workflow<?, ?> workflow) {
    return TermCheck.check(workflow.definition());
  }
}

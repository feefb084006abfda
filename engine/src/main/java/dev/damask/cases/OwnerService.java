package dev.damask.cases;

import java.nio.file.Path;

/// Serves an engine to the user who owns the directory of its store, so that commands work on a
/// store that a process holds. Found through `ServiceLoader`; module `server` provides it.
public interface OwnerService {
  /// The file in a store's directory with the address of the process that holds the store.
  String FILE = "owner.json";

  /// Starts to serve an engine and writes [#FILE] into the directory. Closing the result removes
  /// the file and ends the service. Throws `IllegalStateException` if it cannot be served here.
  Running serve(Engine engine, Path folder);

  /// A service in progress.
  @FunctionalInterface
  interface Running extends AutoCloseable {
    @Override
    void close();
  }
}

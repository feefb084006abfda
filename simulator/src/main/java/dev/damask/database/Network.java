package dev.damask.database;

import dev.damask.process.VirtualProcess;

/// The network between clients and the database.
public interface Network {
  /// Returns how long the next message of or to a client travels, in nanoseconds.
  long delay(VirtualProcess client);

  /// Returns until when no message of or to a client arrives; 0 if they do.
  long stalledUntil(VirtualProcess client);
}

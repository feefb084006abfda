package dev.damask.script;

import dev.damask.effect.Receipt;
import java.util.List;

/// The way from a run of a script to its case.
public interface ScriptPort {
  /// Hands a message to the shard of the case; messages arrive in order. Does not wait for what
  /// follows from it.
  void send(ScriptRun run, ScriptMessage message);

  /// Returns the durable receipts of the case, in order.
  List<Receipt> receipts();

  /// Returns whether a run may block its thread. Otherwise a step that has no result yet ends the
  /// run, and the script runs again from its beginning when the result is available.
  boolean mayBlock();

  /// Returns the time of the engine's clock in milliseconds.
  long millis();
}

package dev.damask.api;

import dev.damask.caller.Actor;
import dev.damask.cases.Engine;
import dev.damask.store.StoreException;

/// Writes what the engine does not write in a commit to the engine's audit log: refusals, exports,
/// unredacted reads, and changes that concern no case. A refusal costs a write, so those that
/// anyone can cause are written at a limited rate; the log of the process has the others. A log
/// that cannot be written changes no answer: what was done is done.
final class AuditTrail {
  private static final System.Logger LOG = System.getLogger(AuditTrail.class.getName());
  private static final double REFUSALS_PER_SECOND = 5;

  private final Engine engine;
  private final Audit audit;
  private final RateLimit refusals = new RateLimit(REFUSALS_PER_SECOND, System::nanoTime);

  AuditTrail(Engine engine, Audit audit) {
    this.engine = engine;
    this.audit = audit;
  }

  /// Writes an entry.
  ///
  /// @param isInCommit whether the engine has written an entry
  void write(Audit.Entry entry, boolean isInCommit) {
    try {
      audit.write(entry);
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "the audit log cannot be written: " + entry, e);
    }
    if (isInCommit) {
      return;
    }
    if (entry.caller().isEmpty() || entry.outcome().startsWith("4")) {
      try {
        refusals.take(entry.caller());
      } catch (Problem e) {
        LOG.log(System.Logger.Level.DEBUG, "more requests were refused: " + entry.outcome());
        return;
      }
    }
    String name = entry.caller().isEmpty() ? "(unknown)" : entry.caller();
    try {
      engine.audit().add(Actor.named(name), entry.action(), entry.subject(), entry.outcome());
    } catch (StoreException | IllegalStateException e) {
      LOG.log(System.Logger.Level.WARNING, "an audit entry was not written", e);
    }
  }
}

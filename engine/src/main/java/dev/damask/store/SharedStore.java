package dev.damask.store;

import java.util.concurrent.CompletableFuture;

/// A store as one node of a cluster sees it. Reads see the cases of every node; [#due],
/// [#scanActive] and [#suspects] return only cases that this node owns. A commit of a case that the
/// node does not own fails with [CaseMovedException].
public interface SharedStore extends Store {
  /// Returns the node's id; 0 for a client that owns nothing. It changes when the node was fenced
  /// and joined again.
  int node();

  /// Returns whether the node believes that it owns the slot of a case. Only a commit proves it.
  boolean owns(String caseId);

  /// Returns whether the node may move cases and call effects. False after it could not raise its
  /// counter for two thirds of a lease.
  boolean mayWork();

  /// Returns the database's time in milliseconds since 1970. It never goes back.
  long millis();

  /// Returns how long to wait until the database's clock shows a time; at least 1.
  long nanosUntil(long millis);

  /// Starts to poll and reports to the owner from now on. Called once, when the engine is ready.
  void serve(SlotOwner owner);

  /// Stops to report to the owner. The node stays in the cluster until the store is closed.
  void retire();

  /// Sends a message to a case of any node. Completes when the owner has applied or refused it, or
  /// exceptionally: with a [NotAppliedException] if the message is accepted and not yet applied
  /// when the time is up, with a [StoreException] if it could not be stored.
  CompletableFuture<MessageReply> send(CaseMessage message);

  /// Completes when a case has ended or is stuck, or does not exist any more.
  CompletableFuture<Void> awaitEnd(String caseId);

  /// Reserves a user's idempotency key for an effect whose intent is durable. Returns false while
  /// another effect has it that is open on a living node.
  ///
  /// @param effect the lineage of the effect's id
  boolean claim(String type, String key, String caseId, long effect);

  /// Releases a key that an effect has reserved.
  void unclaim(String type, String key, String caseId, long effect);

  /// Notes in the inbox why a message is not applied yet. The next poll but a few delivers it
  /// again.
  void hold(CaseMessage message, String why);

  /// Delivers a message again with the next poll, if this node still owns its case.
  void redeliver(CaseMessage message);
}

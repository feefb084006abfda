package dev.damask.cluster;

import dev.damask.effect.PermitAnswer;
import dev.damask.effect.PermitNeed;
import dev.damask.effect.RateNeed;
import dev.damask.ops.TaskClaims;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseMovedException;
import dev.damask.store.MessageReply;
import dev.damask.store.RowChange;
import dev.damask.store.RowChangedException;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.TableRow;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// A store as one node of a cluster sees it. Reads see the cases of every node; [#due],
/// [#scanActive] and [#suspects] return only cases that this node owns. A commit of a case that the
/// node does not own fails with [CaseMovedException].
public interface SharedStore extends Store, TaskClaims.Holder {
  /// Returns the node's id; 0 for a client that owns nothing. It changes when the node was fenced
  /// and joined again.
  int node();

  /// Returns whether the node believes that it owns the slot of a case. Only a commit proves it.
  boolean owns(String caseId);

  /// Returns whether the node may move cases and call effects. False after it could not raise its
  /// counter for two thirds of a lease.
  boolean mayWork();

  /// Returns whether another node has taken over. It stays so until [SlotOwner#fenced] has
  /// returned.
  default boolean isFenced() {
    return false;
  }

  /// Returns the database's time in milliseconds since 1970. It never goes back.
  long millis();

  /// Returns how long a caller waits until its message is applied or its change is stored.
  Duration replyTime();

  /// Returns how long to wait until the database's clock shows a time; at least 1.
  long nanosUntil(long millis);

  /// Starts to poll and reports to the owner from now on. Called once, when the engine is ready.
  void serve(SlotOwner owner);

  /// Gives all slots to the other nodes; returns when that is done, after a time, or at once if
  /// there is no other node. Calls that run stay here until they end. Called once, before `retire`.
  void leaveSlots() throws InterruptedException;

  /// The engine has stopped and moves no case any more. The node takes no slots and does not raise
  /// its counter again; it fences itself as soon as the database answers, so that the other nodes
  /// need not wait for its lease. Its cases resume as those of a node that has died. Returns at
  /// once.
  void giveUp();

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

  /// Borrows permits of limits, or returns some. Permits return by themselves when this node is
  /// fenced or leaves. Returns an answer to each need, in their order. Throws [StoreException] if
  /// the store cannot determine it now; it may then have changed what the node holds.
  List<PermitAnswer> borrow(List<PermitNeed> needs);

  /// Allows the node to begin calls of a limited rate within [RateNeed#validity]. Returns how many;
  /// throws [StoreException] if the store cannot determine it now.
  int begin(RateNeed need);

  /// Changes rows that every node may change, if one of them is still as it was read. Completes
  /// when that is durable, or exceptionally: with a [RowChangedException] if the row is another
  /// one.
  ///
  /// @param kind the kind of the row that is compared
  /// @param key the key of that row
  /// @param version the version of that row
  /// @param expected the row as it was read; empty if there was none
  CompletableFuture<Void> replace(
      String kind, String key, long version, Optional<TableRow> expected, List<RowChange> changes);

  /// Returns the changes of the cases of all nodes.
  CaseChanges changes();

  /// Returns the claims of tasks, which every node makes for the tasks of all nodes.
  @Override
  TaskClaims claims();

  /// Notes in the inbox why a message is not applied yet. It is delivered again after a pause that
  /// grows.
  void hold(CaseMessage message, String why);

  /// Delivers the messages that are held again with the next poll: the node has got a program.
  void retryHeld();

  /// Shows in the database which programs this node has, so that people see which cases wait for a
  /// node with their program.
  ///
  /// @param known returns the programs that the engine has now; it never loses one
  void showPrograms(Supplier<Set<ProgramHash>> known);

  /// Delivers a message again with the next poll, if this node still owns its case.
  void redeliver(CaseMessage message);
}

package dev.damask.cluster;

import java.util.BitSet;
import java.util.Collection;
import java.util.List;

/// The engine of a node, as its [SharedStore] sees it. One thread calls `release`, `acquired` and
/// `fenced`; they may block. The other methods return at once.
public interface SlotOwner {
  /// Stops moving the cases of slots and returns when everything that was accepted for them is
  /// durable or refused. The slots then have no cases in memory.
  void release(BitSet slots) throws InterruptedException;

  /// The node owns more slots: their cases that are active or due are resumed.
  void acquired(BitSet slots) throws InterruptedException;

  /// Cases of slots that the node gets that may have killed the node before it. They must not move
  /// before [#tryOut]. Called before `acquired`.
  void suspected(Collection<String> cases);

  /// Lets suspected cases move and returns when they rest, or after a time. What they are is
  /// durable: if this node dies now, the next one suspects these cases and no others. Called by a
  /// separate thread; may block.
  void tryOut(List<String> cases) throws InterruptedException;

  /// Quarantines a suspected case that has killed its node too often. Called as `tryOut` is.
  void condemn(String caseId, String why) throws InterruptedException;

  /// Another node has taken over all slots. Returns when no case is in memory any more.
  void fenced() throws InterruptedException;

  /// A node has gone that called effects of cases of this node.
  void callersGone();

  /// Messages from the inbox, which lie there until a commit has applied them.
  void deliver(List<CaseMessage> messages);

  /// The store has messages of parents and children; some may be for cases of this node.
  void familyMessages();

  /// The leases of claimed tasks have ended.
  void claimsExpired();

  /// The first due time of all schedules has changed.
  void schedulesChanged();

  /// The node may work again.
  void resumed();

  /// Calls for cases of other nodes whose results no node waits for any more.
  void withdraw(List<ForeignCall> calls);

  /// The calls that this node makes for cases that it does not own.
  List<ForeignCall> foreignCalls();

  /// A call for a case of another node.
  ///
  /// @param effect the lineage of the effect's id
  record ForeignCall(String caseId, long effect) {}
}

package dev.damask.cluster;

import java.util.BitSet;
import java.util.List;

/// The engine of a node, as its [SharedStore] sees it. One thread calls `release`, `acquired` and
/// `fenced`; they may block. The other methods return at once.
public interface SlotOwner {
  /// Stops moving the cases of slots and returns when everything that was accepted for them is
  /// durable or refused. The slots then have no cases in memory.
  void release(BitSet slots) throws InterruptedException;

  /// The node owns more slots: their cases that are active or due are resumed.
  void acquired(BitSet slots) throws InterruptedException;

  /// Another node has taken over all slots. Returns when no case is in memory any more.
  void fenced() throws InterruptedException;

  /// A node has gone that called effects of cases of this node.
  void callersGone();

  /// Messages from the inbox, which lie there until a commit has applied them.
  void deliver(List<CaseMessage> messages);

  /// The node may work again.
  void resumed();

  /// Calls that this node makes for cases of other nodes and that nobody waits for any more.
  void withdraw(List<ForeignCall> calls);

  /// The calls that this node makes for cases that it does not own.
  List<ForeignCall> foreignCalls();

  /// A call for a case of another node.
  ///
  /// @param effect the lineage of the effect's id
  record ForeignCall(String caseId, long effect) {}
}

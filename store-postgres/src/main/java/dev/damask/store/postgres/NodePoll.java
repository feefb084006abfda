package dev.damask.store.postgres;

import java.util.List;
import java.util.Map;

/// What one poll of a node has found.
///
/// @param isFenced whether another node has taken over; then the node must stop
/// @param dead nodes that look dead, with the counters they died with
/// @param hasOrphans whether there are slots whose owner is fenced or gone
/// @param hasNewSlots whether the node's slots changed since the poll before
/// @param inbox messages for the node's slots, oldest first
record NodePoll(
    boolean isFenced,
    Map<Integer, Long> dead,
    boolean hasOrphans,
    boolean hasNewSlots,
    List<InboxMessage> inbox) {
  NodePoll {
    dead = Map.copyOf(dead);
    inbox = List.copyOf(inbox);
  }
}

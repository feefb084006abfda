package dev.damask.store.postgres;

import dev.damask.cluster.PolledMessages;
import java.util.List;
import java.util.Map;

/// What one poll of a node has found.
///
/// @param isFenced whether another node has taken over; then the node must stop
/// @param dead nodes that look dead, with the counters they died with
/// @param hasOrphans whether there are slots whose owner is fenced or gone
/// @param hasNewSlots whether the node's slots changed since the poll before
/// @param hasLost whether a node that was alive before is fenced or gone
/// @param inbox messages for the node's slots, oldest first
/// @param answered the answers of those messages that their cases have consumed before
record NodePoll(
    boolean isFenced,
    Map<Integer, Long> dead,
    boolean hasOrphans,
    boolean hasNewSlots,
    boolean hasLost,
    List<InboxMessage> inbox,
    Map<PolledMessages.Key, Integer> answered) {
  NodePoll {
    dead = Map.copyOf(dead);
    inbox = List.copyOf(inbox);
    answered = Map.copyOf(answered);
  }
}

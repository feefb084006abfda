package dev.damask.sql;

import dev.damask.cluster.PolledMessages;
import java.util.Map;

/// What one poll of a node has found.
///
/// @param isFenced whether another node has taken over; then the node must stop
/// @param dead nodes that look dead, with the counters they died with
/// @param hasOrphans whether there are slots whose owner is fenced or gone
/// @param hasNewSlots whether the node's slots changed since the poll before
/// @param hasLost whether a node that was alive before is fenced or gone
/// @param inbox the messages for the node's slots
/// @param answered the answers of those messages that their cases have consumed before
/// @param rows the contents of the rows beside the cases
public record NodePoll(
    boolean isFenced,
    Map<Integer, Long> dead,
    boolean hasOrphans,
    boolean hasNewSlots,
    boolean hasLost,
    PollStatement.Inbox inbox,
    Map<PolledMessages.Key, Integer> answered,
    PollStatement.Rows rows) {
  public NodePoll {
    dead = Map.copyOf(dead);
    answered = Map.copyOf(answered);
  }
}

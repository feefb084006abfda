package dev.damask.event;

import dev.damask.value.Context;
import java.util.List;
import java.util.OptionalLong;

/// A process that has not ended, as it is in a state.
///
/// @param number from 1 in the order of creation
/// @param parent the number of the process that spawned it; 0 for the first
/// @param running whether its evaluation has begun
/// @param due when it may begin; empty when only its join or a release keeps it
/// @param group the group it belongs to; 0 for the outermost
/// @param fromGroup the group it waits for; 0 when it is not the target of an open join
/// @param expected the sources of its open join, in their order
/// @param delivered the sources it has got, in the same order
/// @param payload what it was given, or where its evaluation has come to
public record ProcessView(
    int number,
    int parent,
    String step,
    boolean running,
    OptionalLong due,
    int group,
    int fromGroup,
    List<String> expected,
    List<String> delivered,
    Context payload) {
  public ProcessView {
    expected = List.copyOf(expected);
    delivered = List.copyOf(delivered);
  }
}

package dev.damask.cases;

import dev.damask.event.Input;
import dev.damask.intake.FamilyMessage;
import dev.damask.intake.Request;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What comes in while a case moves, the oldest first. Its weight is kept as a sum, so that one
/// more input costs the same however many wait.
final class CaseQueue {
  private final ArrayDeque<Request.Queued> all = new ArrayDeque<>(1);
  private long weight;

  boolean isEmpty() {
    return all.isEmpty();
  }

  int size() {
    return all.size();
  }

  /// About how many bytes of input wait.
  long weight() {
    return weight;
  }

  /// A copy, in order.
  List<Request.Queued> list() {
    return new ArrayList<>(all);
  }

  void addFirst(Request.Queued deed) {
    all.addFirst(deed);
    weight += Bounds.weight(deed);
  }

  void addLast(Request.Queued deed) {
    all.addLast(deed);
    weight += Bounds.weight(deed);
  }

  Request.@Nullable Queued pollFirst() {
    Request.Queued first = all.pollFirst();
    weight -= first == null ? 0 : Bounds.weight(first);
    return first;
  }

  void clear() {
    all.clear();
    weight = 0;
  }

  /// Takes a kill out of the queue of a case that does not come to rest: the first input, or one of
  /// the whole case wherever it is; null when there is none.
  Request.@Nullable Queued takeKill() {
    Request.Queued first = all.peekFirst();
    for (Request.Queued deed : all) {
      if (deed instanceof Request.Feed feed
          && feed.input() instanceof Input.Kill kill
          && (deed == first || kill.name().equals("case"))) {
        all.remove(deed); // a kill has no weight
        return deed;
      }
      if (deed instanceof Request.Received(_, FamilyMessage.Cancel _, _)) {
        all.remove(deed);
        return deed;
      }
    }
    return null;
  }
}

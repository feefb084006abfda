package dev.damask.intake;

import dev.damask.effect.EffectResult;
import dev.damask.event.Input;
import dev.damask.value.Context;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What comes in while a case moves, the oldest first. Its weight is kept as a sum, so that one
/// more input costs the same however many wait.
public final class CaseQueue {
  private final ArrayDeque<Request.Queued> all = new ArrayDeque<>(1);
  private long weight;

  public boolean isEmpty() {
    return all.isEmpty();
  }

  public int size() {
    return all.size();
  }

  /// About how many bytes of input wait.
  public long weight() {
    return weight;
  }

  /// A copy, in order.
  public List<Request.Queued> list() {
    return new ArrayList<>(all);
  }

  public void addFirst(Request.Queued deed) {
    all.addFirst(deed);
    weight += weight(deed);
  }

  public void addLast(Request.Queued deed) {
    all.addLast(deed);
    weight += weight(deed);
  }

  public Request.@Nullable Queued pollFirst() {
    Request.Queued first = all.pollFirst();
    weight -= first == null ? 0 : weight(first);
    return first;
  }

  /// Whether the first input is the result of a handler that worked in a transaction.
  public boolean isJoinedFirst() {
    return all.peekFirst() instanceof Request.Report(_, EffectResult.Joined _, _);
  }

  public void clear() {
    all.clear();
    weight = 0;
  }

  /// Takes a kill out of the queue of a case that does not come to rest: the first input, or one of
  /// the whole case wherever it is; null when there is none.
  public Request.@Nullable Queued takeKill() {
    Request.Queued first = all.peekFirst();
    for (Request.Queued deed : all) {
      Input.Kill kill =
          switch (deed) {
            case Request.Stored stored -> stored.kill();
            case Request.Feed(_, Input.Kill found, _, _, _) -> found;
            default -> null;
          };
      if (kill != null && (deed == first || kill.name().equals("case"))) {
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

  /// Takes the first change of data out of the queue; null when there is none.
  public Request.@Nullable Queued takeChange() {
    for (Request.Queued deed : all) {
      if (deed instanceof Request.Feed(_, Input.ChangeData _, _, _, _)) {
        all.remove(deed); // it has no weight
        return deed;
      }
    }
    return null;
  }

  /// About how many bytes an input takes while it waits.
  public static long weight(Request.Queued deed) {
    return switch (deed) {
      case Request.Feed(_, Input.Signal(_, var payload), _, _, _) -> payload.weight();
      case Request.Feed(_, Input.AddInstance(_, var item, _), _, _, _) ->
          Context.of("item", item).weight();
      case Request.Answer(_, _, Request.Verdict.Done(var result), _, _) -> result.weight();
      case Request.Answer(_, _, Request.Verdict.Skipped(var result), _, _) -> result.weight();
      default -> 0;
    };
  }
}

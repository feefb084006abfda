package dev.damask.cases;

import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.task.Context;
import dev.damask.task.EffectId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// What may be told to the outside once it is durable.
final class Telling {
  final List<Ack<?>> acks = new ArrayList<>();

  /// Calls and interrupts in the order they were decided.
  final List<Outgoing> outgoing = new ArrayList<>();

  final List<Settled> settled = new ArrayList<>();
  final List<End> ends = new ArrayList<>();

  /// An answer to a caller that waits.
  record Ack<T>(CompletableFuture<T> future, T value) {
    void tell() {
      future.complete(value);
    }
  }

  /// What handlers hear.
  sealed interface Outgoing {}

  /// A handler to call.
  record Call(String caseId, EffectIntent intent, Context context, EffectHandler handler)
      implements Outgoing {}

  /// A call to interrupt.
  record Withdrawal(String caseId, EffectId effect) implements Outgoing {}

  /// Takes back a call that nobody has made yet; false when there is none.
  boolean retract(EffectId effect) {
    return outgoing.removeIf(
        each -> each instanceof Call call && call.intent().id().equals(effect));
  }

  /// A user's key that now has a receipt.
  record Settled(String caseId, EffectIntent intent) {}

  /// A case that will not move on by itself.
  record End(String caseId, CaseResult result) {}

  boolean isSilent() {
    return acks.isEmpty() && outgoing.isEmpty() && settled.isEmpty() && ends.isEmpty();
  }

  /// What would have been told now is told after all this.
  void append(Telling later) {
    acks.addAll(later.acks);
    outgoing.addAll(later.outgoing);
    settled.addAll(later.settled);
    ends.addAll(later.ends);
  }

  void clear() {
    acks.clear();
    outgoing.clear();
    settled.clear();
    ends.clear();
  }
}

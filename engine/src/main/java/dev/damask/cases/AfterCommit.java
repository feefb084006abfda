package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Permits;
import dev.damask.event.EffectRequest;
import dev.damask.intake.CaseTerms;
import dev.damask.ops.ScopeCancelled;
import dev.damask.task.EffectId;
import dev.damask.task.TaskFunction;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/// What callers and handlers may receive once it is durable.
final class AfterCommit {
  final List<Ack<?>> acks = new ArrayList<>();

  /// Calls and interrupts in the order they were decided.
  final List<Outgoing> outgoing = new ArrayList<>();

  final List<Settled> settled = new ArrayList<>();
  final List<End> ends = new ArrayList<>();
  final List<Notification> cancelled = new ArrayList<>();

  /// An answer to a caller that waits.
  ///
  /// @param revision the revision of the case that the answer speaks of
  record Ack<T>(CompletableFuture<T> future, LongFunction<T> value, long revision) {
    Ack(CompletableFuture<T> future, T value) {
      this(future, _ -> value, 0);
    }

    Ack<T> at(long durable) {
      return new Ack<>(future, value, durable);
    }

    void tell() {
      future.complete(value.apply(revision));
    }
  }

  /// What handlers receive.
  sealed interface Outgoing {}

  /// A handler to call.
  ///
  /// @param deadlineMillis when the attempt is given up; [EffectIntent#NEVER] for no limit
  record Call(
      String caseId,
      EffectIntent intent,
      Context context,
      EffectHandler handler,
      long deadlineMillis,
      Optional<String> traceparent)
      implements Outgoing {
    /// The call of an intent that goes out now.
    static Call of(LiveCase live, EffectIntent intent, EffectRequest request, EffectHandler to) {
      Duration timeout = request.task().options().timeout();
      long attempt =
          timeout == null ? EffectIntent.NEVER : CaseTerms.plus(intent.sentMillis(), timeout);
      long deadline = Math.min(attempt, Math.min(intent.dueMillis(), live.terms.deadlineMillis()));
      Optional<String> traceparent = live.terms.options().traceparent();
      return new Call(live.id, intent, request.context(), to, deadline, traceparent);
    }
  }

  /// A function to run outside of the shard.
  record Compute(EffectCall call, TaskFunction function) implements Outgoing {}

  /// A run of a script to start outside of the shard.
  record Script(EffectCall call, TaskFunction run) implements Outgoing {}

  /// A message to a run of a script.
  record News(Runnable news) implements Outgoing {}

  /// An attempt that needs a permit.
  record Wait(Permits.Waiter waiter) implements Outgoing {}

  /// An attempt that needs its permit, or its place in the queue, no more.
  record Release(Permits.Owner owner) implements Outgoing {}

  /// The shard has taken up its cases.
  record Recovered(int shard) implements Outgoing {}

  /// A call to interrupt.
  record Withdrawal(String caseId, EffectId effect) implements Outgoing {}

  /// Removes a call that was not made yet; returns false if there is none.
  boolean retract(EffectId effect) {
    return outgoing.removeIf(each ->
        switch (each) {
          case Call call -> call.intent().id().equals(effect);
          case Compute compute -> compute.call().id().equals(effect);
          case Wait(var waiter) -> waiter.owner().effect().equals(effect);
          case Withdrawal _, Release _, Recovered _, Script _, News _ -> false;
        });
  }

  /// A cancellation that a listener is notified of.
  record Notification(ScopeCancelled event, Consumer<ScopeCancelled> listener) {}

  /// A user's key that now has a receipt.
  record Settled(String caseId, EffectIntent intent) {}

  /// A case that will not move on by itself.
  record End(String caseId, CaseResult<Context> result) {}

  /// Tells all who wait for an answer that there is none.
  void refuse(RuntimeException why) {
    acks.forEach(ack -> ack.future().completeExceptionally(why));
  }

  /// The futures of all who wait for an answer.
  List<CompletableFuture<?>> futures() {
    List<CompletableFuture<?>> futures = new ArrayList<>();
    acks.forEach(ack -> futures.add(ack.future()));
    return futures;
  }

  boolean isSilent() {
    return acks.isEmpty()
        && outgoing.isEmpty()
        && settled.isEmpty()
        && ends.isEmpty()
        && cancelled.isEmpty();
  }

  /// Appends what is to be published after everything here.
  void append(AfterCommit later) {
    acks.addAll(later.acks);
    outgoing.addAll(later.outgoing);
    settled.addAll(later.settled);
    ends.addAll(later.ends);
    cancelled.addAll(later.cancelled);
  }

  /// Adds what a case publishes at a revision.
  void append(AfterCommit later, long revision) {
    later.acks.replaceAll(ack -> ack.at(revision));
    append(later);
  }

  void clear() {
    acks.clear();
    outgoing.clear();
    settled.clear();
    ends.clear();
    cancelled.clear();
  }
}

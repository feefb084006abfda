package dev.damask.cases;

import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Receipt;
import dev.damask.effect.WaitingEffect;
import dev.damask.exec.EffectRequest;
import dev.damask.exec.Input;
import dev.damask.exec.Outcome;
import dev.damask.exec.Reply;
import dev.damask.exec.TokenId;
import dev.damask.store.CaseCommit;
import dev.damask.store.Store;
import dev.damask.task.Context;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.task.EffectSpec;
import dev.damask.task.Expression;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Moves one case at a time: feeds it what came in, runs the machine, and turns what the machine
/// wants from the outside into intents, receipts and calls. It belongs to one shard and does
/// nothing that is visible outside; that waits for the commit.
final class CaseRunner {
  static final String UNKNOWN_OUTCOME = "unknown_outcome";
  private static final TokenId NOBODY = new TokenId(0);

  private final EngineOptions options;
  private final Store store;

  /// Written by the closer, read by the shard: calls that begin now are left to the next engine.
  private volatile boolean isClosing;

  CaseRunner(EngineOptions options, Store store) {
    this.options = options;
    this.store = store;
  }

  void closing() {
    isClosing = true;
  }

  /// Moves a case until it rests and nothing waits for it, or its turns are used up. Says how many
  /// steps it took.
  long move(LiveCase live, int turns, long now) {
    long before = live.state.steps();
    for (int left = turns; left > 0; ) {
      if (!live.isAtRest()) {
        live.isDirty = true;
        Outcome outcome = live.machine.run(live.state, options.quantum());
        collect(live, now);
        left -= outcome instanceof Outcome.Yielded ? 1 : 0;
      } else if (Waits.areDue(live, now)) {
        perform(live, Waits.timeUp(live, options.handlers()), now);
        collect(live, now);
      } else if (isDue(live, now)) {
        live.isDirty = true;
        live.machine.apply(live.state, new Input.Advance(now));
      } else {
        Request.Deed deed = live.queue.pollFirst();
        if (deed == null) {
          break;
        }
        perform(live, deed, now);
        collect(live, now); // what ends a case withdraws its tasks without a further step
      }
    }
    return live.state.steps() - before;
  }

  static boolean isDue(LiveCase live, long now) {
    return !live.state.isDone()
        && !live.isQuarantined
        && Waits.nextDue(live).orElse(Long.MAX_VALUE) <= now;
  }

  private void perform(LiveCase live, Request.Deed deed, long now) {
    switch (deed) {
      case Request.Feed(_, var input, var messageId, var reply) ->
          feed(live, input, messageId, reply, now);
      case Request.Answer answer -> answer(live, answer, now);
      case Request.Report(var call, var result) -> {
        switch (result) {
          case EffectResult.Ok(var context) -> {
            EffectIntent intent = live.intents.get(call.id());
            if (intent != null && intent.attempt() != call.attempt()) {
              // A late result of an earlier attempt is the result of the task (ADR 0002).
              live.telling.withdrawals.add(new Batch.Withdrawal(live.id, call.id()));
            }
            done(live, call.id(), context, new Receipt.Result.Ok(context), body(call), now);
          }
          case EffectResult.Same(var origin, var context) -> {
            Receipt.Result receipt = new Receipt.Result.Duplicate(origin, context);
            done(live, call.id(), context, receipt, body(call), now);
          }
          case EffectResult.Failed(var reason, var detail) -> {
            EffectIntent intent = live.intents.get(call.id());
            if (intent != null && intent.attempt() == call.attempt()) {
              if (intent.delivery() == Delivery.AT_MOST_ONCE && reason.equals(UNKNOWN_OUTCOME)) {
                live.receipt(intent, intent.attempt(), now, new Receipt.Result.Indeterminate());
                giveUp(live, intent, reason, now);
              } else {
                failed(live, intent, reason, detail, now);
              }
            }
          }
          case EffectResult.Interrupted() -> {}
        }
      }
      case Request.GiveUp(_, var effect, var reason, var receipt) -> {
        EffectIntent intent = live.intents.get(effect);
        if (intent != null) {
          live.receipt(intent, intent.attempt(), now, receipt);
          giveUp(live, intent, reason, now);
        }
      }
    }
  }

  private static Receipt.Body body(dev.damask.effect.EffectCall call) {
    return new Receipt.Body(
        call.id(),
        call.task(),
        call.type(),
        call.key(),
        call.attempt(),
        0,
        new Receipt.Result.Cancelled());
  }

  private void feed(
      LiveCase live,
      Input input,
      @Nullable String messageId,
      CompletableFuture<Reply> future,
      long now) {
    if (messageId != null) {
      OptionalInt answer = consumed(live, messageId);
      if (answer.isPresent()) {
        tell(live, future, Reply.values()[answer.getAsInt()]);
        return;
      }
    }
    Reply reply = apply(live, input, now);
    if (messageId != null) {
      live.consumed.add(new CaseCommit.Message(messageId, reply.ordinal()));
      live.recent.put(messageId, reply.ordinal());
      live.isDirty = true;
    }
    tell(live, future, reply);
  }

  private OptionalInt consumed(LiveCase live, String messageId) {
    Integer recent = live.recent.get(messageId);
    return recent == null ? store.consumed(live.id, messageId) : OptionalInt.of(recent);
  }

  /// Applies an input at the time it came. What an ended case refuses is not worth a commit.
  private Reply apply(LiveCase live, Input input, long now) {
    if (!live.state.isDone()) {
      live.isDirty = true;
      live.machine.apply(live.state, new Input.Advance(now));
    }
    return live.machine.apply(live.state, input);
  }

  private static void tell(LiveCase live, CompletableFuture<Reply> future, Reply reply) {
    live.telling.acks.add(new Batch.Ack<>(future, reply));
  }

  private void answer(LiveCase live, Request.Answer answer, long now) {
    EffectIntent intent = live.intents.get(answer.effect());
    Reply reply =
        switch (answer.verdict()) {
          case Request.Verdict.Done(var context) -> {
            Receipt.Body body = intent == null ? known(live, answer.effect()) : body(intent);
            yield done(live, answer.effect(), context, new Receipt.Result.Ok(context), body, now);
          }
          case Request.Verdict.Failed(var reason, var detail) ->
              intent == null
                  ? apply(live, new Input.TaskFailed(NOBODY, reason, detail), now)
                  : failed(live, intent, reason, detail, now);
          case Request.Verdict.Withdrawn() -> {
            TokenId token = intent == null ? NOBODY : new TokenId(intent.token());
            yield apply(live, new Input.CancelTask(token), now);
          }
        };
    if (intent != null && reply == Reply.ACCEPTED && intent.sent()) {
      // Somebody else was faster than the handler.
      live.telling.withdrawals.add(new Batch.Withdrawal(live.id, intent.id()));
    }
    tell(live, answer.reply(), reply);
  }

  private static Receipt.Body body(EffectIntent intent) {
    return new Receipt.Body(
        intent.id(),
        intent.task(),
        intent.type(),
        intent.key(),
        intent.attempt(),
        0,
        new Receipt.Result.Cancelled());
  }

  /// What the receipts know of an effect that no longer waits; null when they know nothing.
  private Receipt.@Nullable Body known(LiveCase live, EffectId effect) {
    for (Receipt receipt : live.receipts) {
      if (receipt.body().effect().equals(effect)) {
        return receipt.body();
      }
    }
    for (Receipt receipt : store.receipts(live.id)) {
      if (receipt.body().effect().equals(effect)) {
        return receipt.body();
      }
    }
    return null;
  }

  /// A result has come. Without a task that waits for it, it is written down and changes nothing.
  private Reply done(
      LiveCase live,
      EffectId effect,
      Context result,
      Receipt.Result receipt,
      Receipt.@Nullable Body about,
      long now) {
    EffectIntent intent = live.intents.get(effect);
    TokenId token = intent == null ? NOBODY : new TokenId(intent.token());
    Reply reply = apply(live, new Input.TaskDone(token, result), now);
    if (intent != null && reply == Reply.ACCEPTED) {
      live.receipt(intent, intent.attempt(), now, receipt);
      live.drop(intent);
      if (intent.userKey() && receipt instanceof Receipt.Result.Ok) {
        long number = live.chain.count();
        live.keys.add(new CaseCommit.KeyUse(intent.type(), intent.key(), number));
        live.telling.settled.add(new Batch.Settled(live.id, intent));
      }
    } else if (about != null) {
      live.receipt(
          new Receipt.Body(
              effect,
              about.task(),
              about.type(),
              about.key(),
              about.attempt(),
              now,
              lateness(live, effect, result)));
    }
    return reply;
  }

  /// Late when the task was withdrawn, a duplicate when it already had its result.
  private Receipt.Result lateness(LiveCase live, EffectId effect, Context result) {
    for (List<Receipt> receipts : List.of(store.receipts(live.id), live.receipts)) {
      for (Receipt receipt : receipts) {
        if (receipt.body().effect().equals(effect)
            && receipt.body().result() instanceof Receipt.Result.Ok) {
          return new Receipt.Result.Duplicate(live.id + "#" + receipt.number(), result);
        }
      }
    }
    return new Receipt.Result.Late(result);
  }

  private Reply failed(LiveCase live, EffectIntent intent, String reason, String detail, long now) {
    live.receipt(intent, intent.attempt(), now, new Receipt.Result.Failed(reason, detail));
    return fail(live, intent, reason, detail, now);
  }

  /// Fails an attempt; the machine says whether there is another one.
  private Reply fail(LiveCase live, EffectIntent intent, String reason, String detail, long now) {
    TokenId token = new TokenId(intent.token());
    Reply reply = apply(live, new Input.TaskFailed(token, reason, detail), now);
    boolean again = false;
    for (EffectRequest request : live.state.takeStarted()) {
      again |= request.id().equals(intent.id());
      begin(live, request, live.intents.get(request.id()));
    }
    if (!again) {
      live.drop(intent);
    }
    return reply;
  }

  /// Fails a task whatever attempts it has left.
  private void giveUp(LiveCase live, EffectIntent intent, String reason, long now) {
    live.drop(intent);
    TokenId token = new TokenId(intent.token());
    boolean again = true;
    while (again) {
      apply(live, new Input.TaskFailed(token, reason, ""), now);
      again =
          live.state.takeStarted().stream().anyMatch(request -> request.id().equals(intent.id()));
    }
  }

  /// Looks at what the machine wants to start and to stop.
  private void collect(LiveCase live, long now) {
    Map<EffectId, EffectIntent> stopped = new HashMap<>();
    for (TokenId token : live.state.takeWithdrawn()) {
      EffectId effect = live.tokens.get(token.number());
      EffectIntent intent = effect == null ? null : live.intents.get(effect);
      if (intent == null) {
        continue;
      }
      boolean isUnknown = intent.sent() && intent.delivery() == Delivery.AT_MOST_ONCE;
      live.receipt(
          intent,
          intent.attempt(),
          now,
          isUnknown ? new Receipt.Result.Indeterminate() : new Receipt.Result.Cancelled());
      live.drop(intent);
      stopped.put(intent.id(), isUnknown ? intent.withUnknown() : intent);
      live.telling.withdrawals.add(new Batch.Withdrawal(live.id, intent.id()));
    }
    for (EffectRequest request : live.state.takeStarted()) {
      EffectIntent intent = live.intents.get(request.id());
      begin(live, request, intent == null ? stopped.get(request.id()) : intent);
    }
  }

  /// Plans a call, or leaves the task to the outside when nobody is registered for it.
  ///
  /// @param known the intent of an earlier attempt; null for the first
  private void begin(LiveCase live, EffectRequest request, @Nullable EffectIntent known) {
    EffectIntent intent = known == null ? intent(live, request) : known;
    if (intent.unknown()) {
      live.plan(intent);
      live.queue.addFirst(
          new Request.GiveUp(
              live.id,
              intent.id(),
              UNKNOWN_OUTCOME,
              new Receipt.Result.Refused("an effect of at most once is not sent again")));
      return;
    }
    EffectHandler handler = handler(request, intent.type());
    if (handler instanceof WaitingEffect waiting) {
      Waits.plan(live, request, intent, waiting);
      return;
    }
    boolean isSent = handler != null && !isClosing && request.notBefore().isEmpty();
    EffectIntent planned = intent.forAttempt(request.attempt(), isSent);
    live.plan(planned);
    if (isSent && handler != null) {
      live.telling.calls.add(new Batch.Call(live.id, planned, request.context(), handler));
    }
  }

  private @Nullable EffectHandler handler(EffectRequest request, String type) {
    return request.task().handler() != null
        ? EffectHandler.of(request.task().handler())
        : options.handlers().get(type);
  }

  /// The intent of a new effect. One that cannot be made, because its template or its key fails, is
  /// refused: the task fails before anything is sent.
  private EffectIntent intent(LiveCase live, EffectRequest request) {
    String made = live.id + ":" + request.id();
    try {
      EffectSpec spec =
          request.wish() != null
              ? request.wish()
              : request.task().template() != null
                  ? request.task().template().specFor(request.context())
                  : EffectSpec.of(request.task().name());
      Expression expression = request.task().options().key();
      Object key = expression == null ? spec.key() : expression.value(request.context());
      return new EffectIntent(
          request.id(),
          request.token().number(),
          request.task().name(),
          request.attempt(),
          spec.type(),
          key == null ? made : key.toString(),
          key != null,
          request.task().options().delivery(),
          spec.with(),
          false,
          false);
    } catch (RuntimeException e) { // the user's template or key; the task fails with what it said
      live.queue.addFirst(
          new Request.GiveUp(
              live.id,
              request.id(),
              "expression",
              new Receipt.Result.Refused("its request cannot be made: " + e)));
      return new EffectIntent(
          request.id(),
          request.token().number(),
          request.task().name(),
          request.attempt(),
          "refused",
          made,
          false,
          Delivery.READ,
          Context.empty(),
          false,
          false);
    }
  }

  /// Takes up the effects of a case that was read from the store: calls again what may be called
  /// again, and gives up what may have been sent and must not be sent twice.
  void resume(LiveCase live) {
    for (EffectRequest request : live.state.pendingEffects()) {
      EffectIntent intent = live.intents.get(request.id());
      if (request.notBefore().isPresent()) {
        continue;
      }
      if (intent == null || !intent.sent()) {
        if (intent == null || handler(request, intent.type()) != null) {
          begin(live, request, intent);
        }
      } else if (intent.delivery() == Delivery.AT_MOST_ONCE) {
        live.queue.addFirst(
            new Request.GiveUp(
                live.id, intent.id(), UNKNOWN_OUTCOME, new Receipt.Result.Indeterminate()));
      } else {
        EffectHandler handler = handler(request, intent.type());
        if (handler != null) {
          live.telling.calls.add(new Batch.Call(live.id, intent, request.context(), handler));
        }
      }
    }
  }
}

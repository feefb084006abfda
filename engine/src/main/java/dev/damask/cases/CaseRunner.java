package dev.damask.cases;

import dev.damask.caller.CaseReply;
import dev.damask.caller.MigrationResult;
import dev.damask.effect.Approval;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectIntent.Held;
import dev.damask.effect.Receipt;
import dev.damask.event.EffectRequest;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.TokenId;
import dev.damask.history.JournalMode;
import dev.damask.intake.FamilyMessage;
import dev.damask.intake.PastReceipts;
import dev.damask.intake.Request;
import dev.damask.ops.IncidentRows;
import dev.damask.ops.TaskRows;
import dev.damask.program.Program;
import dev.damask.script.ScriptFunction;
import dev.damask.steps.ScriptCase;
import dev.damask.steps.ScriptSteps;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.task.TaskAddress;
import dev.damask.value.Context;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Moves one case at a time: feeds it what came in, runs the machine, and turns what the machine
/// requests from external systems into intents, receipts and calls. It belongs to one shard and
/// does nothing that is visible outside; that waits for the commit.
final class CaseRunner {
  /// The token of an input for a task that has no intent. No token has this id.
  static final TokenId NO_TOKEN = new TokenId(0);

  private final Shard shard;
  private final EngineOptions options;
  private final Store store;
  private final Machines machines;
  final EffectPolicy governor;
  final ShardPermits permits;
  final Children children;
  final PastReceipts past;
  private final boolean keepsInputs;
  final TaskAnswers answers;
  private final CallReports reports = new CallReports(this);
  private final DueEffects due = new DueEffects(this);
  final ScriptSteps scripts;

  /// Written by the closer, read by the shard: calls that begin now are left to the next engine.
  private volatile boolean isClosing;

  CaseRunner(Shard shard, Machines machines, ScriptSteps scripts) {
    this.shard = shard;
    this.scripts = scripts;
    this.permits = shard.permits;
    this.children = new Children(this, shard.engine.programs);
    this.machines = machines;
    this.options = shard.options;
    this.store = shard.store;
    this.governor = new EffectPolicy(options);
    this.past = new PastReceipts(store);
    this.answers = new TaskAnswers(this, shard.engine.claims);
    this.keepsInputs = options.journal() == JournalMode.INPUTS;
  }

  void closing() {
    isClosing = true;
    scripts.runs().closing();
  }

  /// Moves a case until it rests and nothing waits for it, or its turns are used up. Returns how
  /// many steps it took.
  long move(LiveCase live, int turns, long now) {
    long before = live.state.steps();
    int agreed = live.terms.options().quantum().orElse(options.quantum());
    int quantum = Math.min(agreed, options.traceEventsMax());
    for (int left = turns; left > 0 && live.trace.size() < options.traceEventsMax(); ) {
      if (live.isPaused() || live.paused.isCatchingUp) {
        Request.Queued first = CasePauses.next(live);
        if (first != null) {
          act(live, first, now);
        } else if (live.isPaused()) {
          break;
        }
      } else if (!live.isAtRest()) {
        live.isDirty = true;
        options.watch().ran(live.id, quantum);
        if (keepsInputs) {
          live.inputs().ran();
        }
        live.machine.move(live.state, quantum);
        collect(live, now);
        left -= live.isAtRest() ? 0 : 1;
      } else if (isDue(live, now)) {
        live.isDirty = true;
        if (live.engineDue() <= live.state.nextDue().orElse(CaseRecord.NEVER)) {
          expire(live, now);
        } else {
          feed(live, new Input.Advance(now));
        }
      } else {
        Request.Queued deed = live.queue.isJoinedFirst() ? null : live.queue.pollFirst();
        if (deed == null) {
          break; // what comes with a transaction is committed alone
        }
        act(live, deed, now);
      }
    }
    if (!live.isAtRest()) {
      interrupt(live, now);
    }
    return live.state.steps() - before;
  }

  /// A case that does not come to rest is still cancelled, and ends at its deadline.
  private void interrupt(LiveCase live, long now) {
    Request.Queued kill = live.queue.takeKill();
    if (kill != null) {
      act(live, kill, now);
    } else if (live.terms.deadlineMillis() <= now) {
      expire(live, now);
    }
  }

  private void expire(LiveCase live, long now) {
    due.expire(live, now);
    collect(live, now);
  }

  static boolean isDue(LiveCase live, long now) {
    return !live.state.isDone() && !live.isQuarantined && live.nextDue() <= now;
  }

  /// A decision has been taken. It is the result of a task that asks for nothing else; another
  /// effect is sent or refused.
  Reply decide(LiveCase live, EffectIntent intent, Context decision, long now) {
    if (intent.type().equals(Approval.TYPE) || intent.held() == Held.FOR_TIME) {
      return done(live, intent.id(), decision, new Receipt.Result.Ok(decision), null, now);
    }
    String by = String.valueOf(decision.get("by"));
    if (!Boolean.TRUE.equals(decision.get("approved"))) {
      String sentence = "rejected by " + by;
      live.receipt(intent, now, new Receipt.Result.Refused(sentence));
      return fail(live, intent, Failure.REJECTED, sentence, now);
    }
    live.receipt(intent, now, new Receipt.Result.Approved(by));
    EffectIntent approved = intent.withHeld(Held.APPROVED, EffectIntent.NEVER);
    for (EffectRequest request : live.state.pendingEffects()) {
      if (request.id().equals(intent.id())) {
        begin(live, request, approved, now);
      }
    }
    return Reply.ACCEPTED;
  }

  private void act(LiveCase live, Request.Queued deed, long now) {
    if (RequiredRevision.refuses(shard, live, deed)) {
      return;
    }
    live.atWork = deed;
    perform(live, deed, now);
    collect(live, now); // what ends a case cancels its tasks without a further step
    live.atWork = null;
  }

  private void perform(LiveCase live, Request.Queued deed, long now) {
    switch (deed) {
      case Request.Feed feed -> feed(live, feed, now);
      case Request.Answer answer -> answers.accept(live, answer, now);
      case Request.Received received -> children.receive(live, received, now);
      case Request.Migrate migrate -> {
        MigrationResult result = migrate(live, migrate);
        if (result instanceof MigrationResult.Moved) {
          apply(live, new Input.Advance(now), now); // the new version settles what it can
        }
      }
      case Request.Scripted(_, var run, var message) ->
          scripts.perform(scripted(live), run, message, now);
      case Request.Report(var call, var result, var reply) -> {
        tell(live, reply, Reply.ACCEPTED); // leaves with the commit of what follows
        if (live.scripts.isEmpty()
            || !scripts.reported(scripted(live), call, Bounds.of(live, result), now)) {
          reports.accept(live, call, result, now);
        }
      }
      case Request.Stored stored -> {
        perform(live, shard.pauses.deed(live, stored), now);
        CasePauses.applied(live, stored);
      }
      case Request.Admit admit -> permits.admit(live, admit, isClosing, now);
      case Request.GiveUp(_, var effect, var reason, var receipt) -> {
        EffectIntent intent = live.intents.get(effect);
        if (intent != null) {
          live.receipt(intent, now, receipt);
          String detail = receipt instanceof Receipt.Result.Refused(var why) ? why : "";
          giveUp(live, intent, reason, detail, now);
        }
      }
    }
  }

  /// Moves the state of a case to another version and replies after the commit. The caller moves
  /// the clock of the case then.
  MigrationResult migrate(LiveCase live, Request.Migrate migrate) {
    Program target = migrate.target();
    MigrationResult result = machines.move(live, target, migrate.mapping());
    if (result instanceof MigrationResult.Moved) {
      options.watch().migrated(live.id, target, migrate.mapping());
      if (keepsInputs) {
        live.inputs().migrated(target.hash(), migrate.mapping(), live.state);
      }
    }
    live.telling.acks.add(new AfterCommit.Ack<>(migrate.reply(), result::at, 0));
    return result;
  }

  private void feed(LiveCase live, Request.Feed feed, long now) {
    Input input = feed.input();
    String messageId = feed.messageId();
    CompletableFuture<CaseReply> future = feed.reply();
    if (messageId != null) {
      Reply answer = consumed(live, messageId);
      if (answer != null) {
        tell(live, future, answer);
        return;
      }
    }
    if (input instanceof Input.Signal signal && live.machine.overflows(live.state, signal)) {
      tell(live, future, Reply.REJECTED); // nothing changes, so the same message may come again
      return;
    }
    if (input instanceof Input.Kill kill && answersUndecided(live, kill)) {
      tell(live, future, Reply.REJECTED); // only an approver answers it
      return;
    }
    if (feed.traceparent() != null && !live.state.isDone()) {
      live.terms = live.terms.withTraceparent(feed.traceparent());
    }
    boolean isStill = live.isPaused() && input instanceof Input.ChangeData;
    live.isDirty |= isStill;
    Reply reply = isStill ? feed(live, input) : scripts.feed(scripted(live), input, now);
    if (messageId != null) {
      live.answered(messageId, reply.number());
      live.isDirty = true;
    }
    tell(live, future, reply);
  }

  /// Applies a signal that was stored while the code of the case was not there.
  void signalled(LiveCase live, FamilyMessage.Signalled signal, long now) {
    String messageId = signal.messageId().isEmpty() ? null : signal.messageId();
    String parent = signal.traceparent().isEmpty() ? null : signal.traceparent();
    Input input = new Input.Signal(signal.place(), signal.payload());
    feed(live, new Request.Feed(live.id, input, messageId, parent, new CompletableFuture<>()), now);
  }

  /// Whether an input would complete a task, by its name or address, that waits for a decision.
  private boolean answersUndecided(LiveCase live, Input.Kill kill) {
    if (!kill.complete() || live.intents.all().isEmpty()) {
      return false;
    }
    List<EffectRequest> pending = live.state.pendingEffects();
    List<EffectRequest> named =
        pending.stream().filter(each -> each.task().name().equals(kill.name())).toList();
    List<EffectRequest> meant =
        named.isEmpty()
            ? TaskAddress.parse(kill.name())
                .map(address -> address.among(pending, EffectRequest::address))
                .orElse(List.of())
            : named;
    return meant.stream()
        .map(each -> live.intents.get(each.id()))
        .anyMatch(intent -> intent != null && governor.isUndecided(intent));
  }

  /// The reply to a message that a case has consumed; null if it has not.
  @Nullable Reply consumed(LiveCase live, String messageId) {
    Integer recent = live.answer(messageId);
    OptionalInt answer =
        recent == null ? store.consumed(live.id, messageId) : OptionalInt.of(recent);
    return answer.isPresent() ? Reply.byNumber().get(answer.getAsInt()) : null;
  }

  /// Applies an input at the time it came. What an ended case refuses is not worth a commit.
  Reply apply(LiveCase live, Input input, long now) {
    if (!live.state.isDone()) {
      live.isDirty = true;
      feed(live, new Input.Advance(now));
    }
    return feed(live, input);
  }

  private Reply feed(LiveCase live, Input input) {
    options.watch().applied(live.id, input);
    if (keepsInputs && !live.state.isDone()) {
      live.inputs().applied(input, live.state);
    }
    return live.machine.apply(live.state, input);
  }

  static void tell(LiveCase to, @Nullable CompletableFuture<CaseReply> who, Reply reply) {
    if (who != null) {
      to.telling.acks.add(new AfterCommit.Ack<>(who, at -> new CaseReply(reply, at), 0));
    }
  }

  /// A result has come. Without a task that waits for it, it is written down and changes nothing.
  Reply done(
      LiveCase live,
      EffectId effect,
      Context result,
      Receipt.Result receipt,
      Receipt.@Nullable Body about,
      long now) {
    EffectIntent intent = live.intents.get(effect);
    TokenId token = intent == null ? NO_TOKEN : new TokenId(intent.token());
    Reply reply = apply(live, new Input.TaskDone(token, result), now);
    if (intent != null && reply == Reply.ACCEPTED) {
      live.receipt(intent, now, receipt);
      live.drop(intent);
      if (intent.userKey() && receipt instanceof Receipt.Result.Ok) {
        long number = live.chain.count();
        live.keys.add(new CaseCommit.KeyUse(intent.type(), intent.key(), number));
        live.telling.settled.add(new AfterCommit.Settled(live.id, intent));
      }
    } else if (about != null) {
      live.receipt(about.with(past.lateness(live.id, live.receipts, effect, result), now));
    }
    return reply;
  }

  Reply failed(LiveCase live, EffectIntent intent, String reason, String detail, long now) {
    live.receipt(intent, now, new Receipt.Result.Failed(reason, detail));
    return fail(live, intent, reason, detail, now);
  }

  private Reply fail(LiveCase live, EffectIntent intent, String reason, String detail, long now) {
    TokenId token = new TokenId(intent.token());
    return fail(live, intent, new Input.TaskFailed(token, reason, detail), now);
  }

  /// Fails an attempt; the machine decides whether there is another one.
  Reply fail(LiveCase live, EffectIntent intent, Input.TaskFailed failed, long now) {
    Reply reply = apply(live, failed, now);
    boolean again = TaskAnswers.note(live, intent, failed.detail(), now);
    for (EffectRequest request : live.state.takeStarted()) {
      again |= request.id().equals(intent.id());
      begin(live, request, live.intents.get(request.id()), now);
    }
    if (!again) {
      live.drop(intent);
    }
    return reply;
  }

  /// Turns a task into an incident with a reason and a detail, whatever its options are.
  void park(LiveCase live, EffectIntent intent, String reason, String detail, long now) {
    live.receipt(intent, now, new Receipt.Result.Failed(reason, detail));
    apply(live, new Input.TaskParked(new TokenId(intent.token()), reason), now);
    TaskAnswers.note(live, intent, detail, now);
  }

  /// Fails a task for good, unless it becomes an incident.
  void giveUp(LiveCase live, EffectIntent intent, String reason, String detail, long now) {
    live.drop(intent);
    apply(live, new Input.TaskFailed(new TokenId(intent.token()), reason, detail), now);
    TaskAnswers.note(live, intent, detail, now);
  }

  /// Starts and stops the effects that the machine requests and cancels.
  private void collect(LiveCase live, long now) {
    live.noteCancelled(options);
    List<TokenId> withdrawn = live.state.takeWithdrawn();
    Map<EffectId, EffectIntent> stopped = withdrawn.isEmpty() ? Map.of() : new HashMap<>();
    for (TokenId token : withdrawn) {
      scripts.withdraw(scripted(live), token, now);
      EffectIntent intent = live.intents.ofToken(token.number());
      if (intent == null) {
        continue;
      }
      live.telling.retract(intent.id());
      children.withdrawn(live, intent);
      if (live.isFresh(intent)) {
        live.drop(intent); // begun and cancelled between two commits: it never was
        continue;
      }
      boolean isUnknown = intent.sent() && intent.delivery() == Delivery.AT_MOST_ONCE;
      live.receipt(
          intent,
          now,
          isUnknown ? new Receipt.Result.Indeterminate() : new Receipt.Result.Cancelled());
      live.drop(intent);
      stopped.put(intent.id(), isUnknown ? intent.withUnknown() : intent);
      live.telling.outgoing.add(new AfterCommit.Withdrawal(live.id, intent.id()));
    }
    TaskAnswers.note(live, stopped, now);
    for (EffectRequest request : live.state.takeStarted()) {
      EffectIntent intent = live.intents.get(request.id());
      begin(live, request, intent == null ? stopped.get(request.id()) : intent, now);
    }
    if (live.areScriptsStale) {
      live.areScriptsStale = false;
      scripts.restart(scripted(live));
    }
    if (!live.scripts.isEmpty()) {
      scripts.settle(scripted(live), now);
    }
  }

  /// Lists a task that was read from the store and waits for an answer from outside. A version
  /// before tasks were listed may have stored it.
  void list(LiveCase live, EffectRequest request, EffectIntent intent, long now) {
    if (TaskRows.isOutside(intent) && request.notBefore().isEmpty()) {
      String address = request.address().toString();
      live.effects.outside(intent.id(), address);
      var subject = new IncidentRows.Subject(live.id, live.workflow);
      live.effects.addMissing(live.rows, subject, intent, store.table(), now);
    }
  }

  ScriptCase scripted(LiveCase live) {
    return new ScriptedCase(live, this);
  }

  /// Plans a call, refuses it, or leaves the task to callers: for a decision, or because no handler
  /// is registered for it.
  ///
  /// @param known the intent of an earlier attempt; null for the first
  void begin(LiveCase live, EffectRequest request, @Nullable EffectIntent known, long now) {
    if (request.computes()) {
      compute(live, request, known == null);
      return;
    }
    EffectIntent intent = governor.intent(live, request, known, children, now);
    if (intent == null) {
      return;
    }
    if (known == null) {
      EffectPolicy.Refusal refusal = governor.refusal(live, request, intent.type(), now);
      if (refusal != null) {
        live.plan(intent);
        live.giveUp(intent, refusal.reason(), refusal.sentence());
        return;
      }
      live.terms = live.terms.withEffect(request.task().options().cost());
    }
    EffectHandler handler = intent.isHeld() ? null : governor.handler(request, intent.type());
    boolean isSent = handler != null && !isClosing && request.notBefore().isEmpty();
    if (isSent && permits.isLimited(intent.type())) {
      permits.queue(live, request, intent, now);
      return;
    }
    EffectIntent planned = intent.forAttempt(request.attempt(), isSent, now);
    planned = isSent ? governor.limited(planned, now) : planned;
    live.plan(planned);
    if (isSent && handler != null) {
      live.telling.outgoing.add(AfterCommit.Call.of(live, planned, request, handler));
    } else if (request.notBefore().isEmpty()) {
      if (!planned.isHeld()) {
        children.start(live, request);
      }
      if (handler == null && TaskRows.isOutside(planned)) {
        live.effects.outside(planned.id(), request.address().toString());
      }
    }
  }

  /// Calls an effect again whose intent is stored, unless it may not be called twice.
  void resume(LiveCase live, EffectId effect, long now) {
    shard.resumption.resume(live, effect, now);
  }

  /// Starts the function of a task that runs outside.
  ///
  /// @param isFirst whether it was never started before
  void compute(LiveCase live, EffectRequest request, boolean isFirst) {
    if (request.task().function() instanceof ScriptFunction) {
      scripts.begin(scripted(live), request, isFirst);
    } else {
      reports.compute(live, request, isClosing);
    }
  }
}

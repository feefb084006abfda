package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Receipt;
import dev.damask.event.EffectRequest;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.event.TokenId;
import dev.damask.family.ChildCase;
import dev.damask.family.ChildRequest;
import dev.damask.intake.ChildRow;
import dev.damask.intake.FamilyMessage;
import dev.damask.intake.ParentLink;
import dev.damask.intake.Replies;
import dev.damask.intake.Request;
import dev.damask.program.Program;
import dev.damask.script.ScriptStep;
import dev.damask.steps.OpenStep;
import dev.damask.store.RowChange;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.term.Limits;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What happens to a case because of its children and its parent. Everything it sends is a row of
/// the case's next commit ([FamilyMessage]).
final class Children {
  private final CaseRunner runner;
  private final Programs programs;

  /// The child of the task that is being begun; belongs to the thread that holds the shard's lock.
  private @Nullable ChildRequest prepared;

  Children(CaseRunner runner, Programs programs) {
    this.runner = runner;
    this.programs = programs;
  }

  /// The child that a task asks for; null if it is another task. Throws [EffectException] if the
  /// child must not be started, and whatever the user's functions throw.
  @Nullable ChildRequest request(LiveCase live, EffectRequest request, @Nullable EffectIntent known)
      throws EffectException {
    prepared = null;
    if (!ChildRequest.isChild(request)) {
      return null;
    }
    ChildRequest child = ChildRequest.of(live.id, request, known, programs);
    prepared = child;
    check(live, child);
    return child;
  }

  private static void check(LiveCase live, ChildRequest child) throws EffectException {
    Limits limits = live.terms.options().limits().orElse(live.state.program().limits());
    if (depth(live) + 1 > limits.callDepth()) {
      String sentence = ChildRequest.tooDeep(live.id, child.workflow(), limits.callDepth());
      throw new EffectException(Failure.CALL_DEPTH, sentence);
    }
    Limits own = child.program() == null ? limits : child.program().limits();
    if (child.input().weight() > own.contextBytes()) {
      throw new EffectException(
          Failure.LIMIT,
          "the input of child %s has about %d bytes, a context has at most %d"
              .formatted(child.id(), child.input().weight(), own.contextBytes()));
    }
    if (child.program() != null) {
      try {
        Replies.requireInput(child.program(), child.id(), child.input());
      } catch (IllegalArgumentException e) {
        throw EffectException.permanent(Failure.EXPRESSION, String.valueOf(e.getMessage()));
      }
    }
  }

  /// Starts the child of a script's step with the next commit.
  void start(LiveCase live, EffectRequest request, EffectIntent step, ChildCase child)
      throws EffectException {
    ChildRequest asked =
        new ChildRequest(
            child.workflow().name(),
            programs.register(child.workflow().definition()),
            step.key(),
            false,
            false,
            child.input().apply(request.context()));
    check(live, asked);
    send(live, request, new Task(step.id(), step.task()), asked);
  }

  /// Makes the workflow of a child known.
  void know(ChildCase child) {
    var _ = programs.register(child.workflow().definition());
  }

  /// Changes a row of the table with the next commit of a case.
  static void write(LiveCase live, RowChange change) {
    live.rows.add(change);
  }

  private static int depth(LiveCase live) {
    ParentLink parent = live.terms.parent();
    return parent == null ? 0 : parent.depth();
  }

  /// Starts the child of a task with the next commit, if it asks for one.
  void start(LiveCase live, EffectRequest request) {
    ChildRequest child = prepared;
    prepared = null;
    if (child == null) {
      return;
    }
    send(live, request, new Task(request.id(), request.task().name()), child);
  }

  /// The task or step that waits for a child.
  private record Task(EffectId id, String name) {}

  private void send(LiveCase live, EffectRequest request, Task task, ChildRequest child) {
    Optional<List<String>> allow = allowed(live, request);
    FamilyMessage.Start start =
        new FamilyMessage.Start(
            child.id(),
            live.id,
            task.id,
            child.workflow(),
            Optional.ofNullable(child.program()).map(Program::hash),
            depth(live) + 1,
            child.isDetached(),
            child.isGiven(),
            allow,
            live.terms.options().trace().map(TraceLevel::name).orElse(""),
            child.input(),
            live.terms.options().traceparent().orElse(""));
    write(live, new RowChange.Put(ChildRow.of(live.id, task.name, start)));
    write(live, new RowChange.Put(start.row()));
  }

  /// A child may do what the task that starts it may do.
  private static Optional<List<String>> allowed(LiveCase live, EffectRequest request) {
    Optional<List<String>> own = live.terms.options().allow();
    List<String> scopes = request.allow();
    if (scopes == null) {
      return own;
    }
    return Optional.of(
        own.map(types -> types.stream().filter(scopes::contains).toList()).orElse(scopes));
  }

  /// A task that waited for a child is gone: the child is cancelled, or never started.
  void withdrawn(LiveCase live, EffectIntent intent) {
    if (ChildRequest.isChild(intent) && !intent.isHeld()) {
      cancel(live, intent);
    }
  }

  /// Cancels the child of an intent with the next commit.
  void cancel(LiveCase live, EffectIntent intent) {
    String link = ChildRow.key(live.id, intent.key());
    boolean isFresh = live.rows.stream().anyMatch(each -> isPut(each, ChildRow.KIND, link));
    if (isFresh) { // begun and cancelled between two commits
      TableRow start =
          FamilyMessage.startRow(new FamilyMessage.Cancel(intent.key(), live.id, intent.id()));
      live.rows.removeIf(
          each -> isPut(each, ChildRow.KIND, link) || isPut(each, FamilyMessage.KIND, start.key()));
    } else if (!ChildRequest.isDetached(intent)) {
      FamilyMessage cancel = new FamilyMessage.Cancel(intent.key(), live.id, intent.id());
      write(live, new RowChange.Put(cancel.row()));
    }
  }

  private static boolean isPut(RowChange change, String kind, String key) {
    return change instanceof RowChange.Put(var row)
        && row.kind().equals(kind)
        && row.key().equals(key);
  }

  /// The case has come to its end, or to where it cannot move: its parent receives that with the
  /// commit. A quarantined child may still be released, so its parent waits.
  static void ending(LiveCase live, @Nullable CaseResult<Context> result) {
    ParentLink parent = live.terms.parent();
    if (result == null || parent == null || parent.isTold() || parent.isDetached()) {
      return;
    }
    String to = parent.caseId();
    FamilyMessage message =
        switch (result) {
          case CaseResult.Completed<Context>(var context) ->
              new FamilyMessage.Completed(to, live.id, parent.task(), context);
          case CaseResult.Failed<Context>(var error) when isOfChild(error) ->
              new FamilyMessage.Failed(
                  to, live.id, parent.task(), ChildCase.REASON, error.detail());
          case CaseResult.Failed<Context>(var error) -> failed(live, parent, "failed: " + error);
          case CaseResult.Cancelled<Context>(_, var reason) ->
              failed(live, parent, "was cancelled" + (reason.isEmpty() ? "" : ": " + reason));
          case CaseResult.Stuck<Context>(var report)
              when report.reason() == CaseResult.Reason.DEADLOCKED ->
              failed(live, parent, "is stuck: " + report);
          case CaseResult.Stuck<Context> _ -> null;
        };
    if (message != null) {
      live.terms = live.terms.withParent(parent.told());
      write(live, new RowChange.Put(message.row()));
    }
  }

  /// Whether a case failed because a child of its own did. Its parent is told of that child, so a
  /// long chain has one sentence.
  private static boolean isOfChild(Failure error) {
    return error.reason().equals(ChildCase.REASON) && error.detail().startsWith("case ");
  }

  private static FamilyMessage failed(LiveCase live, ParentLink parent, String what) {
    return new FamilyMessage.Failed(
        parent.caseId(), live.id, parent.task(), ChildCase.REASON, "case " + live.id + " " + what);
  }

  /// Applies a message. Its row is removed with the commit that it leads to.
  void receive(LiveCase live, Request.Received received, long now) {
    write(live, new RowChange.Remove(received.row()));
    if (!receivedByStep(live, received.message(), now)) {
      receivedByTask(live, received, now);
    }
  }

  /// Applies the end of the child of a script's step; false if it is another message.
  private boolean receivedByStep(LiveCase live, FamilyMessage message, long now) {
    EffectIntent intent = live.intents.get(message.task());
    if (intent == null || !ScriptStep.isChild(intent) || !intent.key().equals(message.from())) {
      return false;
    }
    OpenStep open = runner.scripts.open(runner.scripted(live), intent, now);
    switch (message) {
      case FamilyMessage.Completed(_, _, _, var end) when open != null ->
          runner.scripts.childCompleted(
              open,
              Bounds.of(live, new EffectResult.Ok(Context.of(ScriptStep.VALUE, end.toMap()))));
      case FamilyMessage.Failed(_, _, _, var reason, var detail) when open != null ->
          runner.scripts.childFailed(open, reason, detail);
      default -> {}
    }
    return true;
  }

  private void receivedByTask(LiveCase live, Request.Received received, long now) {
    switch (received.message()) {
      case FamilyMessage.Cancel(_, var from, var task) -> {
        ParentLink parent = live.terms.parent();
        if (parent != null && parent.isFrom(from, task)) {
          runner.apply(live, new Input.Kill("case", false, "cancelled with case " + from), now);
        }
      }
      case FamilyMessage.Started(_, var child, var task) -> {
        EffectRequest request = waiting(live, child, task);
        if (request != null) {
          done(live, task, ChildRequest.started(request, child), now);
        }
      }
      case FamilyMessage.Completed(_, var child, var task, var end) -> {
        EffectRequest request = waiting(live, child, task);
        if (request != null) {
          completed(live, request, end, now);
        }
      }
      case FamilyMessage.Failed(_, var child, var task, var reason, var detail) -> {
        EffectIntent intent = live.intents.get(task);
        if (intent != null && waiting(live, child, task) != null) {
          runner.failed(live, intent, reason, detail, now);
        }
      }
      case FamilyMessage.Signalled signalled -> runner.signalled(live, signalled, now);
      case FamilyMessage.Start _ ->
          throw new IllegalStateException("a start is for a case that does not exist");
    }
  }

  /// The task that waits for a child; null if it does not wait any more.
  private static @Nullable EffectRequest waiting(LiveCase live, String child, EffectId task) {
    EffectIntent intent = live.intents.get(task);
    if (intent == null || !ChildRequest.isChild(intent) || !intent.key().equals(child)) {
      return null;
    }
    return live.state.pendingEffect(new TokenId(intent.token())).orElse(null);
  }

  private void completed(LiveCase live, EffectRequest request, Context end, long now) {
    EffectResult result;
    try {
      Context written = ChildRequest.result(request, end);
      result = Bounds.of(live, new EffectResult.Ok(written));
    } catch (RuntimeException e) { // the user's types; the task fails with their message
      result = new EffectResult.Failed(ChildCase.REASON, "the result cannot be read: " + e);
    }
    EffectIntent intent = live.intents.get(request.id());
    if (result instanceof EffectResult.Ok(var context)) {
      done(live, request.id(), context, now);
    } else if (intent != null && result instanceof EffectResult.Failed(var reason, var detail, _)) {
      runner.failed(live, intent, reason, detail, now);
    }
  }

  private void done(LiveCase live, EffectId task, Context result, long now) {
    runner.done(live, task, result, new Receipt.Result.Ok(result), null, now);
  }
}

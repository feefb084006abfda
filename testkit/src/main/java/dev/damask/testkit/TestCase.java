package dev.damask.testkit;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cases.ManualEngine;
import dev.damask.effect.EffectCall;
import dev.damask.effect.Receipt;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.family.CaseFamily;
import dev.damask.history.TraceCodec;
import dev.damask.task.EffectId;
import dev.damask.term.ExternalTask;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.trace.TracePrinter;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/// One case of a [TestEngine]. When a method returns, its input and everything that follows from it
/// at this virtual time have been processed. [CaseAssert] checks the case.
public final class TestCase {
  private final TestEngine test;
  private final String caseId;
  private final Workflow<?, ?> workflow;
  private @Nullable Reply reply; // null before the first input

  TestCase(TestEngine test, String caseId, Workflow<?, ?> workflow) {
    this.test = test;
    this.caseId = caseId;
    this.workflow = workflow;
  }

  /// Sends a signal without a payload.
  public TestCase signal(String place) {
    return signal(place, Map.of());
  }

  /// Sends a signal with a payload.
  public TestCase signal(String place, Map<String, ? extends @Nullable Object> payload) {
    return feed(new Input.Signal(place, Context.from(payload)));
  }

  /// Sends a typed signal.
  public <T> TestCase signal(Signal<T> signal, T payload) {
    return feed(new Input.Signal(signal.name(), workflow.payload(signal, payload)));
  }

  /// Cancels the whole case.
  public TestCase cancel() {
    return cancel("case");
  }

  /// Cancels a scope, a set of instances or a task.
  public TestCase cancel(String scope) {
    return feed(new Input.Kill(scope, false));
  }

  /// Completes a scope.
  public TestCase complete(String scope) {
    return feed(new Input.Kill(scope, true));
  }

  /// Adds an instance with this item.
  public TestCase addInstance(String instances, @Nullable Object item) {
    return feed(new Input.AddInstance(instances, item, true));
  }

  /// Closes a set of instances, so that no instance can be added.
  public TestCase closeInstances(String instances) {
    return feed(new Input.CloseInstances(instances));
  }

  private TestCase feed(Input input) {
    String messageId = test.messageId();
    reply = test.ask(engine -> engine.feed(caseId, input, messageId));
    return this;
  }

  /// Completes a waiting task by its name. If several wait, completes the first.
  public TestCase completeTask(String task, Map<String, ? extends @Nullable Object> result) {
    return about(task, (engine, id) -> engine.completeTask(caseId, id, Context.from(result)));
  }

  /// Completes a waiting typed task. If several wait, completes the first.
  public <T> TestCase completeTask(ExternalTask<T> task, T result) {
    Signal<T> form = new Signal<>(task.name(), task.result());
    return completeTask(task.name(), workflow.payload(form, result).toMap());
  }

  /// Fails a waiting task by its name with this reason.
  public TestCase failTask(String task, String reason) {
    return about(task, (engine, id) -> engine.failTask(caseId, id, reason));
  }

  /// Decides about a task that waits for an approval.
  public TestCase decide(String task, boolean isApproved, String by) {
    return about(task, (engine, id) -> engine.decide(caseId, id, isApproved, by));
  }

  private TestCase about(
      String task, BiFunction<ManualEngine, EffectId, CompletableFuture<Reply>> request) {
    EffectId id =
        view().tasks().stream()
            .filter(each -> each.task().equals(task))
            .map(PendingTask::id)
            .findFirst()
            .orElseThrow(() -> new AssertionError(describe("task " + task + " does not wait")));
    reply = test.ask(engine -> request.apply(engine, id));
    return this;
  }

  /// Returns the reply to the last input.
  public Optional<Reply> reply() {
    return Optional.ofNullable(reply);
  }

  /// Returns the case id.
  public String caseId() {
    return caseId;
  }

  /// Returns the view of the case.
  public CaseView view() {
    return test.ask(engine -> engine.status(caseId));
  }

  /// Returns the result or the reason why the case cannot continue. Empty while it can.
  public Optional<CaseResult<Context>> result() {
    return Optional.ofNullable(test.askNow(engine -> engine.await(caseId)));
  }

  /// Returns the parent and the children of the case.
  public CaseFamily family() {
    return test.engine().family(caseId);
  }

  /// Returns the child case that a task has started last by its id, of this workflow. Throws
  /// `AssertionError` if the task has started none.
  public TestCase child(String task, Workflow<?, ?> workflow) {
    return family().children().stream()
        .filter(each -> each.taskName().equals(task))
        .reduce((_, last) -> last)
        .map(each -> test.find(each.caseId(), workflow))
        .orElseThrow(() -> new AssertionError(describe("task " + task + " started no child")));
  }

  /// Returns every call for a task, including those repeated after a crash.
  public List<EffectCall> calls(String task) {
    return test.calls().stream()
        .filter(call -> call.caseId().equals(caseId) && call.task().equals(task))
        .toList();
  }

  /// Returns the receipts of the case.
  public List<Receipt> receipts() {
    return test.store().receipts(caseId);
  }

  /// Returns the trace, one aligned line per event.
  public String trace() {
    return TracePrinter.print(
        test.engine().program(workflow.definition()),
        TraceCodec.decode(test.store().trace(caseId)));
  }

  /// Returns a message with the state of the case and its trace.
  String describe(String sentence) {
    CaseView view = view();
    return "%s%n  case %s after %s: %s%s, waits for %s%n%s"
        .formatted(
            sentence,
            caseId,
            test.elapsed(),
            view.status(),
            view.failure().map(failure -> " with " + failure).orElse(""),
            waits(view),
            trace());
  }

  /// Returns the names of everything that the case waits for.
  static List<String> waits(CaseView view) {
    List<String> names = new java.util.ArrayList<>(view.places());
    view.tasks().forEach(task -> names.add(task.task()));
    return names.stream().sorted().toList();
  }
}

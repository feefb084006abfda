package dev.damask.testkit;

import dev.damask.cases.CaseResult;
import dev.damask.cases.CaseView;
import dev.damask.cases.ManualEngine;
import dev.damask.cases.PendingTask;
import dev.damask.cases.TraceCodec;
import dev.damask.effect.EffectCall;
import dev.damask.effect.Receipt;
import dev.damask.exec.Input;
import dev.damask.exec.Reply;
import dev.damask.task.Context;
import dev.damask.task.EffectId;
import dev.damask.term.Workflow;
import dev.damask.trace.TracePrinter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/// One case of a [TestEngine]. What is done to it has happened, with all that follows from it at
/// this moment, when the method returns. [CaseAssert] says how it should stand.
public final class TestCase {
  private final TestEngine test;
  private final String caseId;
  private final Workflow workflow;
  private @Nullable Reply reply; // null before anything was done to it

  TestCase(TestEngine test, String caseId, Workflow workflow) {
    this.test = test;
    this.caseId = caseId;
    this.workflow = workflow;
  }

  public TestCase signal(String place) {
    return signal(place, Map.of());
  }

  public TestCase signal(String place, Map<String, ? extends @Nullable Object> payload) {
    return feed(new Input.Signal(place, Context.from(payload)));
  }

  /// Cancels the whole case.
  public TestCase cancel() {
    return cancel("case");
  }

  /// Cancels a scope, a set of instances or a task.
  public TestCase cancel(String scope) {
    return feed(new Input.Kill(scope, false));
  }

  public TestCase complete(String scope) {
    return feed(new Input.Kill(scope, true));
  }

  public TestCase addInstance(String instances, @Nullable Object item) {
    return feed(new Input.AddInstance(instances, item, true));
  }

  public TestCase closeInstances(String instances) {
    return feed(new Input.CloseInstances(instances));
  }

  private TestCase feed(Input input) {
    String messageId = test.messageId();
    reply = test.ask(engine -> engine.feed(caseId, input, messageId));
    return this;
  }

  /// Somebody completes a task that waits, by its name; the first when there are several.
  public TestCase completeTask(String task, Map<String, ? extends @Nullable Object> result) {
    return about(task, (engine, id) -> engine.completeTask(caseId, id, Context.from(result)));
  }

  public TestCase failTask(String task, String reason) {
    return about(task, (engine, id) -> engine.failTask(caseId, id, reason));
  }

  /// Somebody decides about a task that waits for an approval.
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
            .orElseThrow(() -> new AssertionError(describe("no task " + task + " waits")));
    reply = test.ask(engine -> request.apply(engine, id));
    return this;
  }

  /// What was answered to whatever was done last.
  public Optional<Reply> reply() {
    return Optional.ofNullable(reply);
  }

  public String caseId() {
    return caseId;
  }

  public CaseView view() {
    return test.ask(engine -> engine.status(caseId));
  }

  /// How it ended, or why it cannot; empty while it may still move.
  public Optional<CaseResult> result() {
    return Optional.ofNullable(test.askNow(engine -> engine.await(caseId)));
  }

  /// Every call for a task, those repeated after a crash as well.
  public List<EffectCall> calls(String task) {
    return test.calls().stream()
        .filter(call -> call.caseId().equals(caseId) && call.task().equals(task))
        .toList();
  }

  public List<Receipt> receipts() {
    return test.store().receipts(caseId);
  }

  /// What has happened, one aligned line an event.
  public String trace() {
    return TracePrinter.print(
        test.engine().program(workflow), TraceCodec.decode(test.store().trace(caseId)));
  }

  /// A sentence, how the case stands, and its trace.
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

  /// Everything that could move the case on, by name.
  static List<String> waits(CaseView view) {
    List<String> names = new java.util.ArrayList<>(view.places());
    view.tasks().forEach(task -> names.add(task.task()));
    return names.stream().sorted().toList();
  }
}

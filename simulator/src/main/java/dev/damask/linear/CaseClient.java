package dev.damask.linear;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;

/// Performs the calls of [CaseModel] through the public methods of an engine, and tells the answers
/// in the words of the model.
public final class CaseClient {
  /// A caller without an answer after this time was forgotten.
  private static final Duration LONG = Duration.ofSeconds(10);

  private final Engine engine;
  private final EffectId task;

  private CaseClient(Engine engine, EffectId task) {
    this.engine = engine;
    this.task = task;
  }

  /// A client of an engine that knows the workflow of the model.
  public static CaseClient of(Engine engine) {
    return new CaseClient(engine, task());
  }

  /// The id of the task, which is the same in every case.
  private static EffectId task() {
    try (Engine engine = Engine.open(CaseModel.workflow())) {
      engine.start(CaseModel.workflow(), "any", Context.empty());
      engine.signal("any", CaseModel.PLACE, Map.of("by", "anybody"));
      return engine.status("any").tasks().getFirst().id();
    }
  }

  /// What the case answers. Whatever leaves open whether it happened is thrown.
  public String perform(String caseId, CaseCall call) {
    try {
      return switch (call) {
        case CaseCall.Start() ->
            engine.startAsync(CaseModel.workflow(), caseId, Context.empty()).join().isNew()
                ? CaseModel.MADE
                : CaseModel.KNOWN;
        case CaseCall.Signal(var by, var id) ->
            id == null
                ? engine.signal(caseId, CaseModel.PLACE, Map.of("by", by)).kind().name()
                : engine.signal(caseId, CaseModel.PLACE, Map.of("by", by), id).kind().name();
        case CaseCall.Answer(var answer) ->
            engine.completeTask(caseId, task, Map.of("answer", answer)).kind().name();
        case CaseCall.Cancel() -> engine.cancel(caseId).kind().name();
        case CaseCall.Look() -> look(engine.status(caseId));
        case CaseCall.Await() -> await(caseId);
      };
    } catch (IllegalArgumentException e) {
      if (String.valueOf(e.getMessage()).startsWith("there is no case")) {
        return CaseModel.NO_CASE;
      }
      throw e;
    } catch (CompletionException e) {
      throw new IllegalStateException(
          caseId + " did not reply to " + call + ": " + e.getCause(), e);
    }
  }

  private String await(String caseId) {
    try {
      return engine.await(caseId, LONG).map(CaseClient::end).orElse(CaseModel.NOT_YET);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for " + caseId, e);
    }
  }

  private static String end(CaseResult<Context> result) {
    return switch (result) {
      case CaseResult.Completed(var context) -> completed(context);
      case CaseResult.Cancelled(var scope, _) -> "case".equals(scope) ? CaseModel.CANCELLED : scope;
      case CaseResult.Failed(var error) -> "failed " + error.reason();
      case CaseResult.Stuck(var report) -> "stuck " + report;
    };
  }

  private static String look(CaseView view) {
    return switch (view.status()) {
      case WAITING -> {
        List<String> waits = new ArrayList<>(view.places());
        view.tasks().stream().map(PendingTask::task).forEach(waits::add);
        yield "waits for " + String.join(" ", waits);
      }
      case COMPLETED -> completed(view.context());
      case CANCELLED -> CaseModel.CANCELLED;
      case RUNNING, DEADLOCKED, QUARANTINED, FAILED, CORRUPT, PAUSED -> view.status().name();
    };
  }

  private static String completed(Context context) {
    List<String> said = new ArrayList<>();
    for (String key : List.of("one", "answer", "two")) {
      said.add(String.valueOf(context.get(key)));
    }
    return CaseModel.completed(said);
  }

  /// Options of an engine under test: several shards, few cases in memory.
  public static EngineOptions options() {
    return EngineOptions.defaults().withShards(2).withResidentMax(2).withGrace(Duration.ZERO);
  }
}

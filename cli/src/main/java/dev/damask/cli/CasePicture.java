package dev.damask.cli;

import dev.damask.cases.TraceCodec;
import dev.damask.compile.Compiler;
import dev.damask.document.WorkflowDocument;
import dev.damask.drawing.Marks;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.exec.EffectRequest;
import dev.damask.exec.ExecState;
import dev.damask.exec.Outcome;
import dev.damask.exec.Standing;
import dev.damask.exec.StateCodec;
import dev.damask.exec.TraceEvent;
import dev.damask.program.Program;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import dev.damask.task.Decoder;
import dev.damask.trace.TracePrinter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Everything a store knows about a case, for people and for programs.
///
/// @param document null when the store does not keep it and nobody gave it
/// @param state null without the document
/// @param traced the last lines of the trace
record CasePicture(
    CaseRecord record,
    @Nullable WorkflowDocument document,
    @Nullable ExecState state,
    List<EffectIntent> intents,
    List<Receipt> receipts,
    List<String> traced) {

  static CasePicture of(
      Store store, CaseRecord record, @Nullable WorkflowDocument document, int tail) {
    Program program = document == null ? null : Compiler.compile(document.workflow());
    ExecState state = program == null ? null : state(program, record);
    List<TraceEvent> events = TraceCodec.decode(store.trace(record.caseId()));
    List<String> lines = new ArrayList<>();
    for (TraceEvent event : events.subList(Math.max(0, events.size() - tail), events.size())) {
      lines.add(TracePrinter.line(program, event));
    }
    return new CasePicture(
        record,
        document,
        state,
        store.intents(record.caseId()),
        store.receipts(record.caseId()),
        lines);
  }

  private static ExecState state(Program program, CaseRecord record) {
    if (!program.hash().equals(record.program())) {
      throw new Refusal(
          "case %s is pinned to program %s, the document gives %s: find the document it was started"
                  .formatted(record.caseId(), record.program(), program.hash())
              + " with");
    }
    try {
      return StateCodec.decode(Documents.machine(program), record.state());
    } catch (Decoder.DamagedBytes e) {
      throw new Refusal(
          "the state of case %s is damaged: %s; see 'damask verify'"
              .formatted(record.caseId(), e.getMessage()));
    }
  }

  /// The tokens where they wait, and tasks that failed.
  Marks marks() {
    Marks marks = Marks.NONE;
    if (state == null) {
      return marks;
    }
    for (Map.Entry<String, Integer> entry : Standing.of(state).entrySet()) {
      marks =
          marks
              .withTokens(entry.getKey(), entry.getValue())
              .withState(entry.getKey(), Marks.State.WAITING);
    }
    if (state.failure().isPresent()) {
      marks = marks.withState(state.failure().get().place(), Marks.State.FAILED);
    }
    return marks;
  }

  String text() {
    StringBuilder text = new StringBuilder();
    line(
        text,
        "%s: %s (revision %d)"
            .formatted(record.caseId(), CasesCommand.word(record.status()), record.revision()));
    line(text, "  workflow " + record.workflow() + ", program " + record.program());
    line(text, "  started " + CasesCommand.time(record.startedMillis()));
    String due = CasesCommand.due(record);
    if (due != null) {
      line(text, "  next timer " + due);
    }
    reasons().forEach(reason -> line(text, "  " + reason));
    section(text, "context", context());
    section(text, "pending tasks", tasks().stream().map(CasePicture::shown).toList());
    section(text, "waits for signals", places());
    section(text, "tokens", tokens());
    section(text, "receipts", receipts.stream().map(CasePicture::shown).toList());
    section(text, "trace", traced);
    return text.toString();
  }

  private static void section(StringBuilder text, String title, List<String> lines) {
    if (!lines.isEmpty()) {
      line(text, title + ":");
      lines.forEach(each -> line(text, "  " + each));
    }
  }

  private static void line(StringBuilder text, String line) {
    text.append(CommandTree.shown(line)).append('\n');
  }

  String json() {
    return Json.text(
        Json.object(
            "case", record.caseId(),
            "workflow", record.workflow(),
            "program", record.program().toString(),
            "status", CasesCommand.word(record.status()),
            "reason", reasons().isEmpty() ? null : String.join("; ", reasons()),
            "revision", record.revision(),
            "started", CasesCommand.time(record.startedMillis()),
            "due", CasesCommand.due(record),
            "context", state == null ? null : state.result().toMap(),
            "tasks", tasks(),
            "places", places(),
            "tokens", state == null ? Map.of() : Standing.of(state),
            "receipts", receipts.stream().map(CasePicture::json).toList(),
            "trace", traced));
  }

  /// Why it failed, is stuck, or cannot be shown in full.
  private List<String> reasons() {
    List<String> reasons = new ArrayList<>();
    if (record.status() == CaseStatus.QUARANTINED) {
      record.evidence().lines().limit(1).forEach(reasons::add);
    }
    if (state == null) {
      reasons.add("the store does not keep its document: give it by --document to see more");
      return reasons;
    }
    state.failure().ifPresent(failure -> reasons.add("reason " + failure));
    if (Documents.machine(state.program()).outcome(state)
        instanceof Outcome.Deadlocked(var report)) {
      reasons.addAll(report);
    }
    return reasons;
  }

  private List<String> context() {
    List<String> lines = new ArrayList<>();
    if (state != null) {
      state.result().forEach((key, value) -> lines.add(key + ": " + Json.text(value)));
    }
    return lines;
  }

  private List<String> places() {
    return state != null
            && Documents.machine(state.program()).outcome(state) instanceof Outcome.Waits waits
        ? waits.places()
        : List.of();
  }

  private List<String> tokens() {
    List<String> lines = new ArrayList<>();
    if (state != null) {
      Standing.of(state).forEach((path, count) -> lines.add(count + " at " + path));
    }
    return lines;
  }

  /// The tasks that wait: from the state, or from the intents alone when there is no document.
  private List<Map<String, @Nullable Object>> tasks() {
    Map<String, EffectIntent> byId = new LinkedHashMap<>();
    intents.forEach(intent -> byId.put(intent.id().toString(), intent));
    List<Map<String, @Nullable Object>> tasks = new ArrayList<>();
    List<EffectRequest> pending = state == null ? List.of() : state.pendingEffects();
    for (EffectRequest request : pending) {
      EffectIntent intent = byId.remove(request.id().toString());
      tasks.add(task(request.id().toString(), request.task().name(), request.label(), intent));
    }
    byId.forEach((id, intent) -> tasks.add(task(id, intent.task(), "", intent)));
    return tasks;
  }

  private static Map<String, @Nullable Object> task(
      String id, String name, String label, @Nullable EffectIntent intent) {
    return Json.object(
        "id", id,
        "task", label.isEmpty() ? name : name + "[" + label + "]",
        "type", intent == null ? name : intent.type(),
        "attempt", intent == null ? 1 : intent.attempt(),
        "key", intent == null ? null : intent.key(),
        "with", intent == null ? Map.of() : intent.with().toMap());
  }

  private static String shown(Map<String, @Nullable Object> task) {
    return "%s  %s, effect %s, attempt %s, key %s"
        .formatted(
            task.get("id"),
            task.get("task"),
            task.get("type"),
            task.get("attempt"),
            task.get("key"));
  }

  private static String shown(Receipt receipt) {
    Receipt.Body body = receipt.body();
    return "%4d  %s  %s, effect %s, attempt %d: %s"
        .formatted(
            receipt.number(),
            CasesCommand.time(body.atMillis()),
            body.task(),
            body.type(),
            body.attempt(),
            result(body.result()));
  }

  private static Map<String, @Nullable Object> json(Receipt receipt) {
    Receipt.Body body = receipt.body();
    return Json.object(
        "number", receipt.number(),
        "effect", body.effect().toString(),
        "task", body.task(),
        "type", body.type(),
        "key", body.key(),
        "attempt", body.attempt(),
        "at", CasesCommand.time(body.atMillis()),
        "result", result(body.result()));
  }

  private static String result(Receipt.Result result) {
    return switch (result) {
      case Receipt.Result.Ok(var context) -> "ok " + Json.text(context.toMap());
      case Receipt.Result.Failed(var reason, var detail) ->
          "failed, " + reason + (detail.isEmpty() ? "" : ": " + detail);
      case Receipt.Result.Cancelled() -> "withdrawn";
      case Receipt.Result.Late(var context) -> "late " + Json.text(context.toMap());
      case Receipt.Result.Duplicate(var origin, var context) ->
          "same as " + origin + " " + Json.text(context.toMap());
      case Receipt.Result.Indeterminate() -> "nobody knows whether it happened";
      case Receipt.Result.Refused(var reason) -> "refused, " + reason;
      case Receipt.Result.Approved(var by) -> "approved by " + by;
    };
  }
}

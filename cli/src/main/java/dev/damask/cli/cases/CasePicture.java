package dev.damask.cli.cases;

import dev.damask.cli.command.CaseWords;
import dev.damask.cli.command.Documents;
import dev.damask.cli.command.Lines;
import dev.damask.cli.command.Refusal;
import dev.damask.document.LoadedDocument;
import dev.damask.drawing.Marks;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.event.EffectRequest;
import dev.damask.event.Outcome;
import dev.damask.event.TraceEvent;
import dev.damask.exec.ExecState;
import dev.damask.family.CaseFamily;
import dev.damask.history.TraceCodec;
import dev.damask.json.JsonWriter;
import dev.damask.program.Program;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import dev.damask.store.StoredState;
import dev.damask.task.TaskAddress;
import dev.damask.trace.TracePrinter;
import dev.damask.value.Decoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Everything a store knows about a case, for people and for programs.
///
/// @param document null if neither the store nor the command line provides it
/// @param state null without the document
/// @param traced the last lines of the trace
public record CasePicture(
    CaseRecord record,
    @Nullable LoadedDocument document,
    @Nullable ExecState state,
    List<EffectIntent> intents,
    List<Receipt> receipts,
    CaseFamily family,
    List<String> traced) {

  public static CasePicture of(
      Store store, CaseRecord record, @Nullable LoadedDocument document, int tail) {
    Program program = document == null ? null : document.program();
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
        CaseFamily.read(store, record.caseId()),
        lines);
  }

  private static ExecState state(Program program, CaseRecord record) {
    if (!program.hash().equals(record.program())) {
      throw new Refusal(
          "case %s: it belongs to program %s, the document compiles to %s; name its own document"
              .formatted(record.caseId(), record.program(), program.hash()));
    }
    try {
      return record.decode(Documents.machine(program));
    } catch (Decoder.DamagedBytes e) {
      throw new Refusal(
          "case %s: corrupt state: %s; see 'damask verify'"
              .formatted(record.caseId(), e.getMessage()));
    }
  }

  /// The attributes of a case as plain data.
  static Map<String, @Nullable Object> attributes(CaseRecord record) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    record.facts().attributes().forEach((name, value) -> all.put(name, value.plain()));
    return all;
  }

  /// The tokens where they wait, and tasks that failed.
  Marks marks() {
    Marks marks = Marks.NONE;
    if (state == null) {
      return marks;
    }
    for (Map.Entry<String, Integer> entry : state.waiting().entrySet()) {
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
            .formatted(record.caseId(), CaseWords.word(record.status()), record.revision()));
    line(text, "  workflow " + record.workflow() + ", program " + record.program());
    if (oldest() < record.revision()) {
      line(text, "  revisions from %d on are kept; see --revision".formatted(oldest()));
    }
    line(text, "  started " + CaseWords.time(record.startedMillis()));
    family.parent().ifPresent(parent -> line(text, "  " + shown(parent)));
    String due = CaseWords.due(record);
    if (due != null) {
      line(text, "  next timer " + due);
    }
    record
        .facts()
        .attributes()
        .forEach((name, value) ->
            line(text, "  attribute " + name + ": " + JsonWriter.line(value.plain())));
    record
        .facts()
        .problems()
        .forEach((name, why) -> line(text, "  attribute " + name + " has no value: " + why));
    reasons().forEach(reason -> line(text, "  " + reason));
    if (state != null) {
      CaseReport.late(state).forEach(failure -> line(text, "  " + failure));
    }
    section(text, "context", context());
    section(text, "pending tasks", tasks().stream().map(CasePicture::shown).toList());
    section(text, "waits for signals", waits().map(Outcome.Waits::places).orElse(List.of()));
    section(text, "open instance sets", waits().map(Outcome.Waits::sets).orElse(List.of()));
    section(text, "children", children());
    section(text, "tokens", tokens());
    section(text, "receipts", receipts.stream().map(ReceiptText::shown).toList());
    section(text, "trace", traced);
    return text.toString();
  }

  private long oldest() {
    return record.state() instanceof StoredState.Head head ? head.kept() : record.revision();
  }

  private static void section(StringBuilder text, String title, List<String> lines) {
    if (!lines.isEmpty()) {
      line(text, title + ":");
      lines.forEach(each -> line(text, "  " + each));
    }
  }

  private static void line(StringBuilder text, String line) {
    text.append(Lines.shown(line)).append('\n');
  }

  String json() {
    return JsonWriter.line(
        JsonWriter.object(
            "case", record.caseId(),
            "workflow", record.workflow(),
            "program", record.program().toString(),
            "status", CaseWords.word(record.status()),
            "reason", reasons().isEmpty() ? null : String.join("; ", reasons()),
            "revision", record.revision(),
            "oldestRevision", oldest(),
            "started", CaseWords.time(record.startedMillis()),
            "due", CaseWords.due(record),
            "context", state == null ? null : state.context().toMap(),
            "lateFailures", state == null ? List.of() : CaseReport.lateJson(state),
            "tasks", tasks(),
            "places", waits().map(Outcome.Waits::places).orElse(List.of()),
            "sets", waits().map(Outcome.Waits::sets).orElse(List.of()),
            "parent", family.parent().map(CaseFamily.Parent::caseId).orElse(null),
            "children", family.children().stream().map(CasePicture::json).toList(),
            "tokens", state == null ? Map.of() : state.waiting(),
            "receipts", receipts.stream().map(ReceiptText::json).toList(),
            "attributes", attributes(record),
            "waitingFor", record.facts().waits(),
            "trace", traced));
  }

  private static String shown(CaseFamily.Parent parent) {
    return "child of case %s, task %s%s"
        .formatted(parent.caseId(), parent.task(), parent.isDetached() ? ", detached" : "");
  }

  private List<String> children() {
    List<String> lines = new ArrayList<>();
    for (CaseFamily.Child child : family.children()) {
      lines.add(
          "%s  %s, workflow %s, task %s%s"
              .formatted(
                  child.caseId(),
                  status(child),
                  child.workflow(),
                  child.taskName(),
                  child.isDetached() ? ", detached" : ""));
    }
    if (family.hasMore()) {
      lines.add("and more");
    }
    return lines;
  }

  /// A child without a record was removed, or its workflow is not known yet.
  private static String status(CaseFamily.Child child) {
    return child.status().map(CaseWords::word).orElse("not stored");
  }

  private static Map<String, @Nullable Object> json(CaseFamily.Child child) {
    return JsonWriter.object(
        "case", child.caseId(),
        "workflow", child.workflow(),
        "task", child.taskName(),
        "detached", child.isDetached(),
        "status", status(child));
  }

  /// Why it failed, is stuck, or cannot be shown in full.
  private List<String> reasons() {
    List<String> reasons = new ArrayList<>();
    if (record.status() == CaseStatus.QUARANTINED) {
      record.evidence().lines().limit(1).forEach(reasons::add);
    }
    if (state == null) {
      reasons.add("the store does not contain its document; name it with --document to see more");
      return reasons;
    }
    state.failure().ifPresent(failure -> reasons.add("reason " + failure));
    switch (Documents.machine(state.program()).outcome(state)) {
      case Outcome.Deadlocked(var report) -> reasons.addAll(report);
      case Outcome.Cancelled(var scope, var reason, var detail) when !reason.isEmpty() ->
          reasons.add(
              "cancelled %s, reason %s%s"
                  .formatted(scope, reason, detail.isEmpty() ? "" : ": " + detail));
      default -> {}
    }
    return reasons;
  }

  private List<String> context() {
    List<String> lines = new ArrayList<>();
    if (state != null) {
      state.context().forEach((key, value) -> lines.add(key + ": " + JsonWriter.line(value)));
    }
    return lines;
  }

  private Optional<Outcome.Waits> waits() {
    return state != null
            && Documents.machine(state.program()).outcome(state) instanceof Outcome.Waits waits
        ? Optional.of(waits)
        : Optional.empty();
  }

  private List<String> tokens() {
    List<String> lines = new ArrayList<>();
    if (state != null) {
      state.waiting().forEach((path, count) -> lines.add(count + " at " + path));
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
      tasks.add(task(request.id().toString(), request.address(), intent));
    }
    byId.forEach((id, intent) -> tasks.add(task(id, TaskAddress.of(intent.task(), "", 0), intent)));
    return tasks;
  }

  private static Map<String, @Nullable Object> task(
      String id, TaskAddress address, @Nullable EffectIntent intent) {
    return JsonWriter.object(
        "id", id,
        "task", CaseReport.shown(address),
        "execution", address.execution() == 0 ? null : address.execution(),
        "type", intent == null ? address.task() : intent.type(),
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
}

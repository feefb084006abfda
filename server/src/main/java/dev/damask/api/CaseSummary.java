package dev.damask.api;

import dev.damask.attribute.CaseFacts;
import dev.damask.drawing.Marks;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.effect.ReceiptChain;
import dev.damask.event.EffectRequest;
import dev.damask.event.Failure;
import dev.damask.event.Outcome;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.family.CaseFamily;
import dev.damask.json.JsonWriter;
import dev.damask.schedule.InOrder;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.StoredState;
import dev.damask.task.EffectId;
import dev.damask.task.TaskAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Everything a store knows about a case, as JSON. `damask show` prints it, whether it has opened
/// the store itself or asks the process that holds it.
///
/// @param state null if the workflow is unknown
/// @param source how the workflow is known
/// @param traced the last lines of the trace
@SuppressWarnings("exports") // the state and the marks are for our own modules
public record CaseSummary(
    CaseRecord record,
    @Nullable ExecState state,
    Source source,
    List<EffectIntent> intents,
    List<Receipt> receipts,
    CaseFamily family,
    List<String> traced) {
  public CaseSummary {
    intents = List.copyOf(intents);
    receipts = List.copyOf(receipts);
    traced = List.copyOf(traced);
  }

  /// How the workflow of a case is known.
  ///
  /// @param isJava whether it is written in Java
  /// @param lines the line of each part that is written in Java, by its path
  public record Source(boolean isJava, Map<String, String> lines) {}

  /// Returns the record of a case as it was at a revision.
  public static CaseRecord then(CaseRecord record, long revision, ExecState state) {
    return new CaseRecord(
        record.caseId(),
        revision,
        record.epoch(),
        CaseStatus.valueOf(state.status().name()),
        state.program().name(),
        record.startedMillis(),
        state.view().clockMillis(),
        state.nextDue().orElse(CaseRecord.NEVER),
        ReceiptChain.EMPTY,
        record.terms(),
        "",
        record.state(),
        CaseFacts.NONE);
  }

  /// Returns the fields with the outcome of the case, for `damask run` at a server.
  ///
  /// @param line returns the line of a part in the source; null if it has none
  public Map<String, @Nullable Object> json(Function<String, @Nullable Object> line) {
    Map<String, @Nullable Object> all = json();
    if (state != null && all.get("more") instanceof Map<?, ?> found) {
      Map<String, @Nullable Object> more = new LinkedHashMap<>();
      found.forEach((name, value) -> more.put(String.valueOf(name), value));
      Set<EffectId> effects = new HashSet<>();
      receipts.forEach(each -> effects.add(each.body().id()));
      intents.forEach(each -> effects.add(each.id()));
      String evidence = record.status() == CaseStatus.QUARANTINED ? record.evidence() : "";
      CaseOutcome outcome = CaseOutcome.of(state, outcome(state), effects.size(), evidence, line);
      more.put("run", outcome.json(this::unstructured));
      all.put("more", more);
    }
    return all;
  }

  /// Returns the fields. Those that only the text form needs are under `more`.
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> all =
        JsonWriter.object(
            "case", record.caseId(),
            "workflow", record.workflow(),
            "program", record.program().toString(),
            "status", word(record.status()),
            "reason", reasons().isEmpty() ? null : unstructured(String.join("; ", reasons())),
            "revision", record.revision(),
            "oldestRevision", oldest(),
            "started", time(record.startedMillis()),
            "due", record.dueMillis() == CaseRecord.NEVER ? null : time(record.dueMillis()),
            "context", state == null ? null : Confidential.of(workflow(), state.context()),
            "lateFailures", state == null ? List.of() : lateFailures(state, this::unstructured),
            "tasks", tasks(),
            "places", waits().map(Outcome.Waits::places).orElse(List.of()),
            "sets", waits().map(Outcome.Waits::sets).orElse(List.of()),
            "parent", family.parent().map(CaseFamily.Parent::caseId).orElse(null),
            "children", family.children().stream().map(CaseSummary::child).toList(),
            "tokens", state == null ? Map.of() : new LinkedHashMap<>(state.waiting()),
            "lines", lines(),
            "receipts", receipts.stream().map(each -> receipt(workflow(), each)).toList(),
            "attributes", attributes(record),
            "waitingFor", record.facts().waits(),
            "trace", traced.stream().map(this::unstructured).toList());
    all.put("more", more());
    return all;
  }

  private Map<String, @Nullable Object> more() {
    return JsonWriter.object(
        "reasons",
        reasons().stream().map(this::unstructured).toList(),
        "late",
        state == null
            ? List.of()
            : state.lateFailures().stream().map(each -> unstructured(each.toString())).toList(),
        "problems",
        unstructured(record.facts().problems()),
        "java",
        source.isJava,
        "parentTask",
        family.parent().map(each -> each.task().toString()).orElse(null),
        "parentDetached",
        family.parent().map(CaseFamily.Parent::isDetached).orElse(false),
        "moreChildren",
        family.hasMore());
  }

  private Unstructured unstructured(String text) {
    return new Unstructured(workflow(), text);
  }

  private Map<String, @Nullable Object> unstructured(Map<String, String> texts) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    texts.forEach((name, text) -> all.put(name, unstructured(text)));
    return all;
  }

  private String workflow() {
    return record.workflow();
  }

  /// Returns the tokens where they wait, and the part that failed.
  public Marks marks() {
    return state == null ? Marks.NONE : marks(state);
  }

  private static Marks marks(ExecState state) {
    Marks marks = Marks.NONE;
    for (Map.Entry<String, Integer> entry : state.waiting().entrySet()) {
      marks =
          marks
              .withTokens(entry.getKey(), entry.getValue())
              .withState(entry.getKey(), Marks.State.WAITING);
    }
    return state.failure().isPresent()
        ? marks.withState(state.failure().get().place(), Marks.State.FAILED)
        : marks;
  }

  private static String word(CaseStatus status) {
    return status.name().toLowerCase(Locale.ROOT);
  }

  private static String time(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }

  private long oldest() {
    return record.state() instanceof StoredState.Head head ? head.kept() : record.revision();
  }

  /// Returns the failures of leftovers after the case had its result.
  ///
  /// @param shown what may be shown of a text
  public static List<Map<String, @Nullable Object>> lateFailures(
      ExecState state, Function<String, Object> shown) {
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    for (Failure failure : state.lateFailures()) {
      all.add(
          JsonWriter.object(
              "task", failure.task(),
              "reason", failure.reason(),
              "detail", shown.apply(failure.detail()),
              "place", failure.place()));
    }
    return all;
  }

  /// Why it failed, is stuck, or cannot be shown in full.
  private List<String> reasons() {
    List<String> reasons = new ArrayList<>();
    if (record.status() == CaseStatus.QUARANTINED) {
      record.evidence().lines().limit(1).forEach(reasons::add);
    }
    if (state == null) {
      reasons.add(
          "the store does not contain its workflow; name the document with --document to see more");
      return reasons;
    }
    state.failure().ifPresent(failure -> reasons.add("reason " + failure));
    switch (outcome(state)) {
      case Outcome.Deadlocked(var report) -> reasons.addAll(report);
      case Outcome.Cancelled(var scope, var reason, var detail) when !reason.isEmpty() ->
          reasons.add(
              "cancelled %s, reason %s%s"
                  .formatted(scope, reason, detail.isEmpty() ? "" : ": " + detail));
      default -> {}
    }
    return reasons;
  }

  private static Outcome outcome(ExecState state) {
    var program = state.program();
    return new Machine(
            program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null))
        .outcome(state);
  }

  private Optional<Outcome.Waits> waits() {
    return state != null && outcome(state) instanceof Outcome.Waits waits
        ? Optional.of(waits)
        : Optional.empty();
  }

  /// The source lines of the places where tokens wait.
  private Map<String, @Nullable Object> lines() {
    Map<String, @Nullable Object> lines = new LinkedHashMap<>();
    if (state != null) {
      state.waiting().keySet().stream()
          .filter(source.lines::containsKey)
          .forEach(path -> lines.put(path, source.lines.get(path)));
    }
    return lines;
  }

  /// The tasks that wait: from the state, or from the intents alone without the workflow.
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

  private Map<String, @Nullable Object> task(
      String id, TaskAddress address, @Nullable EffectIntent intent) {
    return JsonWriter.object(
        "id", id,
        "task", shown(address),
        "execution", address.execution() == 0 ? null : address.execution(),
        "type", intent == null ? address.task() : intent.type(),
        "attempt", intent == null ? 1 : intent.attempt(),
        "key", intent == null ? null : unstructured(intent.key()),
        "with", intent == null ? Map.of() : Confidential.of(workflow(), intent.with()));
  }

  /// Returns an address without the number of a first execution.
  public static String shown(TaskAddress address) {
    return (address.execution() == 1
            ? new TaskAddress(address.task(), address.instance(), 0)
            : address)
        .toString();
  }

  /// A child without a record was removed, or its workflow is not known yet.
  private static Map<String, @Nullable Object> child(CaseFamily.Child child) {
    return JsonWriter.object(
        "case", child.caseId(),
        "workflow", child.workflow(),
        "task", child.taskName(),
        "detached", child.isDetached(),
        "status", child.status().map(CaseSummary::word).orElse("not stored"));
  }

  /// Returns the attributes of a case.
  public static Map<String, @Nullable Object> attributes(CaseRecord record) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    record
        .facts()
        .attributes()
        .forEach((name, value) ->
            all.put(name, new ConfidentialAttribute(record.workflow(), name, value.plain())));
    return all;
  }

  /// Returns a receipt. Its result is the kind, and what belongs to it.
  public static Map<String, @Nullable Object> receipt(String workflow, Receipt receipt) {
    Receipt.Body body = receipt.body();
    long millis = body.durationMillis();
    return JsonWriter.object(
        "number", receipt.number(),
        "effect", body.id().toString(),
        "task", body.task(),
        "type", body.type(),
        "key", new Unstructured(workflow, body.key()),
        "attempt", body.attempt(),
        "at", time(body.atMillis()),
        "result", result(workflow, body.result()),
        "spec",
            body.spec().length() == 0
                ? null
                : java.util.HexFormat.of().formatHex(body.spec().toArray()),
        "millis", millis == Receipt.Body.UNKNOWN ? null : millis);
  }

  private static Map<String, @Nullable Object> result(String workflow, Receipt.Result result) {
    return switch (result) {
      case Receipt.Result.Ok(var context) ->
          JsonWriter.object("kind", "ok", "data", Confidential.of(workflow, context));
      case Receipt.Result.Failed(var reason, var detail) ->
          JsonWriter.object(
              "kind", "failed", "reason", reason, "detail", new Unstructured(workflow, detail));
      case Receipt.Result.Cancelled() -> JsonWriter.object("kind", "withdrawn");
      case Receipt.Result.Late(var context) ->
          JsonWriter.object("kind", "late", "data", Confidential.of(workflow, context));
      case Receipt.Result.Duplicate(var origin, var context) ->
          JsonWriter.object(
              "kind",
              "duplicate",
              "of",
              origin.toString(),
              "data",
              Confidential.of(workflow, context));
      case Receipt.Result.Indeterminate() -> JsonWriter.object("kind", "unknown");
      case Receipt.Result.Refused(var reason) ->
          JsonWriter.object("kind", "refused", "reason", reason);
      case Receipt.Result.Approved(var by) -> JsonWriter.object("kind", "approved", "by", by);
    };
  }
}

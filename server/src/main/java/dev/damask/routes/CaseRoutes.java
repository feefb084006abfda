package dev.damask.routes;

import static dev.damask.api.BodyShape.may;
import static dev.damask.api.BodyShape.need;

import dev.damask.api.AnswerRedaction;
import dev.damask.api.ApiReply;
import dev.damask.api.BodyShape;
import dev.damask.api.Call;
import dev.damask.api.Caller;
import dev.damask.api.Catalog;
import dev.damask.api.Confidential;
import dev.damask.api.Desk;
import dev.damask.api.DocumentTerms;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.api.Sources;
import dev.damask.api.Unstructured;
import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cases.Run;
import dev.damask.event.Failure;
import dev.damask.event.StateView;
import dev.damask.family.CaseFamily;
import dev.damask.json.JsonWriter;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TracePrinter;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The routes that start, list and show cases.
final class CaseRoutes {
  private final Desk desk;
  private final CaseListing list;

  CaseRoutes(Desk desk) {
    this.desk = desk;
    this.list = new CaseListing(desk);
  }

  List<Route> routes() {
    return List.of(
        Route.get("/v1/cases", "Lists cases in pages.")
            .query("workflow", "Only cases of this workflow.")
            .query("program", "Only cases that have this version of their workflow.")
            .query("status", "Only cases with this status.")
            .query("where", "A query such as `customer = 'acme' and waitingFor = ship`.")
            .query("text", "Only cases whose id or an attribute begins with this text.")
            .query("since", "Only cases that started at or after this time.")
            .query("until", "Only cases that started before this time.")
            .query("limit", "The page size, from 1 to 1000; 50 without it.")
            .query("cursor", "`next` of the page before.")
            .query("counts", "`false` leaves out the counts by status.")
            .query("notes", "`true` adds unknown workflows and cases that are not indexed.")
            .example("/v1/cases?workflow=order&limit=10", "")
            .to(list::list),
        Route.post("/v1/cases", "Starts a case, unless one with this id exists.")
            .access(RouteAccess.OPERATOR)
            .body(
                need("workflow", BodyShape.TEXT, "The workflow, in its current version."),
                may("id", BodyShape.TEXT, "The id; the server chooses one without it."),
                may("input", BodyShape.DATA, "The context that the case starts with."))
            .answer(201, 200)
            .repeatable()
            .example("/v1/cases", "{\"workflow\":\"order\",\"input\":{\"amount\":3}}")
            .to(this::start),
        Route.get("/v1/cases/{case}", "Shows a case at its last revision.")
            .example("/v1/cases/order-1", "")
            .to(this::show),
        Route.get("/v1/cases/{case}/raw", "Shows everything that is stored about a case.")
            .access(RouteAccess.OPERATOR)
            .example("/v1/cases/order-1/raw", "")
            .to(this::raw),
        Route.get("/v1/cases/{case}/receipts", "Lists the receipts of a case.")
            .example("/v1/cases/order-1/receipts", "")
            .to(this::receipts),
        Route.get("/v1/cases/{case}/trace", "Shows the trace of a case.")
            .query("limit", "The number of last events, from 1 to 10000; 200 without it.")
            .example("/v1/cases/order-1/trace", "")
            .to(this::trace),
        Route.get("/v1/cases/{case}/family", "Lists the parent and the children of a case.")
            .example("/v1/cases/order-1/family", "")
            .to(this::family));
  }

  private ApiReply start(Call call) {
    String workflow = call.need("workflow");
    if (!call.caller().sees(workflow) || !desk.catalog().has(workflow)) {
      throw Problem.notFound("workflow", workflow);
    }
    String id = call.text("id").orElseGet(call::newId);
    Catalog.Version version = desk.catalog().version(workflow, Optional.empty());
    WorkflowDefinition definition = definition(workflow, version);
    CaseOptions terms =
        version.document() == null
            ? CaseOptions.DEFAULT
            : DocumentTerms.of(version.document().document());
    CaseRecord known = desk.engine().record(id).orElse(null);
    if (known != null && !known.workflow().equals(workflow)) {
      throw taken(id);
    }
    try {
      Run<Context> run = desk.engine().start(definition, id, call.context("input"), terms);
      long revision = run.revision();
      Map<String, @Nullable Object> all =
          JsonWriter.object("id", id, "revision", revision, "created", run.reply().isNew());
      return ApiReply.revised(run.reply().isNew() ? 201 : 200, all, revision);
    } catch (IllegalArgumentException e) {
      if (desk.find(call.caller(), id).isEmpty() && desk.engine().record(id).isPresent()) {
        throw taken(id);
      }
      throw e;
    }
  }

  private static Problem taken(String id) {
    return new Problem(Problem.Kind.CONFLICT, "the id '" + id + "' is taken; choose another one");
  }

  private WorkflowDefinition definition(String workflow, Catalog.Version version) {
    WorkflowDefinition definition =
        desk.catalog().sources(workflow, version.program()).definition();
    if (definition == null || !version.isCurrent()) {
      throw new Problem(
          Problem.Kind.CONFLICT,
          "workflow %s has no current version here; register it or put its document"
              .formatted(workflow));
    }
    return definition;
  }

  private ApiReply show(Call call) {
    Map<String, @Nullable Object> all = shown(call.caller(), call.theCase());
    long revision = all.get("revision") instanceof Long read ? read : call.theCase().revision();
    return ApiReply.revised(200, all, revision);
  }

  /// Returns the head and the state of a case.
  Map<String, @Nullable Object> shown(Caller caller, CaseRecord record) {
    Map<String, @Nullable Object> all = list.head(record);
    if (record.status() == CaseStatus.CORRUPT) {
      all.put("why", new Unstructured(record.workflow(), record.evidence()));
      return all;
    }
    CaseView view = desk.engine().status(record.caseId());
    Sources sources = desk.sources(record);
    all.put("revision", view.revision());
    all.put("status", view.status().name());
    try {
      StateView state = desk.engine().state(record.caseId());
      Store.LoadedCase loaded = desk.engine().read(record.caseId());
      all.putAll(
          new StateJson(sources).of(state, view.tasks(), loaded.intents(), why(record, view, "")));
      all.put("status", view.status().name());
    } catch (IllegalStateException e) { // its program is missing, or it is quarantined
      all.put("why", why(record, view, String.valueOf(e.getMessage())));
      all.put("context", Confidential.of(record.workflow(), view.context()));
    }
    all.put("incident", view.tasks().stream().anyMatch(PendingTask::isIncident));
    all.put("divided", view.divided());
    all.put(
        "output",
        view.status() == CaseStatus.COMPLETED
            ? Confidential.of(record.workflow(), view.context())
            : null);
    all.put("failure", view.failure().map(each -> failure(sources, each)).orElse(null));
    view.cancelled()
        .ifPresent(each ->
            all.put(
                "cancelled", JsonWriter.object("scope", each.scope(), "reason", each.reason())));
    view.pause()
        .filter(each -> !each.isResumed())
        .ifPresent(each ->
            all.put(
                "paused",
                JsonWriter.object(
                    "since", StateJson.time(each.sinceMillis()),
                    "reason", each.reason(),
                    "inputs", (long) each.inputs())));
    all.put(
        "nextTimer",
        view.nextDue().isPresent() ? StateJson.time(view.nextDue().getAsLong()) : null);
    all.put("sets", view.sets());
    all.put("signals", view.places());
    all.putAll(family(caller, record.caseId()));
    return all;
  }

  /// What a case waits for names its parts; how it failed may contain any value.
  private static Object why(CaseRecord record, CaseView view, String more) {
    List<String> all = new ArrayList<>(why(view));
    if (!more.isEmpty()) {
      all.add(more);
    }
    String text = String.join("; ", all);
    boolean isPlain = view.failure().isEmpty() && view.cancelled().isEmpty();
    return isPlain ? text : new Unstructured(record.workflow(), text);
  }

  /// What a case waits for, why it is stuck, or how it ended; one sentence each.
  private static List<String> why(CaseView view) {
    if (!view.report().isEmpty()) {
      return view.report();
    }
    List<String> all = new ArrayList<>();
    view.failure().ifPresent(each -> all.add("failed: " + each));
    view.cancelled().ifPresent(each -> all.add("cancelled " + each.scope() + ": " + each.reason()));
    if (view.status().isEnded()) {
      if (all.isEmpty()) {
        all.add("completed");
      }
      return all;
    }
    for (PendingTask each : view.tasks()) {
      all.add("waits for task " + each.address() + condition(each));
    }
    view.places().forEach(each -> all.add("waits for a signal to " + each));
    view.sets().forEach(each -> all.add("waits until no more instances are added to " + each));
    view.nextDue().ifPresent(each -> all.add("waits until " + StateJson.time(each)));
    return all.isEmpty() ? List.of("moves by itself") : all;
  }

  private static String condition(PendingTask task) {
    if (task.isIncident()) {
      return ", which is an incident";
    }
    return switch (task.held()) {
      case FOR_DECISION -> ", which waits for a decision";
      case NOT, APPROVED, FOR_TIME ->
          task.notBefore().isPresent()
              ? ", next attempt at " + StateJson.time(task.notBefore().getAsLong())
              : "";
    };
  }

  static Map<String, @Nullable Object> failure(Sources sources, Failure failure) {
    return JsonWriter.object(
        "task", failure.task(),
        "reason", failure.reason(),
        "detail", new Unstructured(sources.workflow(), failure.detail()),
        "attempt", (long) failure.attempt(),
        "element", failure.place(),
        "line", sources.line(failure.place()),
        "attached", failure.attached().stream().map(each -> failure(sources, each)).toList());
  }

  private ApiReply family(Call call) {
    return ApiReply.ok(family(call.caller(), call.theCase().caseId()));
  }

  private Map<String, @Nullable Object> family(Caller caller, String caseId) {
    CaseFamily family = desk.family(caller, caseId);
    List<Map<String, @Nullable Object>> children = new ArrayList<>();
    for (CaseFamily.Child each : family.children()) {
      children.add(
          JsonWriter.object(
              "id", each.caseId(),
              "workflow", each.workflow(),
              "task", each.taskName(),
              "detached", each.isDetached(),
              "status", each.status().map(CaseStatus::name).orElse(null)));
    }
    return JsonWriter.object(
        "parent",
        family
            .parent()
            .map(each ->
                JsonWriter.object(
                    "id", each.caseId(),
                    "task", each.task().toString(),
                    "detached", each.isDetached()))
            .orElse(null),
        "children",
        children,
        "moreChildren",
        family.hasMore());
  }

  private ApiReply receipts(Call call) {
    CaseRecord record = call.theCase();
    ReceiptJson json = new ReceiptJson(desk.sources(record), record.workflow());
    return ApiReply.ok(
        JsonWriter.object(
            "items", json.all(desk.engine().receipts(record.caseId())), "next", null));
  }

  private ApiReply trace(Call call) {
    CaseRecord record = call.theCase();
    int limit = (int) call.ask("limit", 200, 1, 10_000);
    var events = desk.engine().trace(record.caseId());
    var last = events.subList(Math.max(0, events.size() - limit), events.size());
    boolean hidesData = !desk.catalog().redacted(record.workflow()).isEmpty();
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    for (var each : last) {
      Map<String, @Nullable Object> item =
          JsonWriter.object(
              "step", each.step(),
              "at", each.atMillis() < 0 ? null : StateJson.time(each.atMillis()),
              "kind", each.kind().name(),
              "rule", each.rule(),
              "token", (long) each.token(),
              "subject", each.subject(),
              "label", each.label());
      String line = TracePrinter.line(null, each);
      if (hidesData && !call.caller().seesRedacted()) {
        item.put("detail", AnswerRedaction.MARKER); // a text may contain any value
      } else {
        item.put("detail", new Unstructured(record.workflow(), each.detail()));
        item.put("text", new Unstructured(record.workflow(), line));
      }
      items.add(item);
    }
    return ApiReply.ok(
        JsonWriter.object("items", items, "total", (long) events.size(), "next", null));
  }

  private ApiReply raw(Call call) {
    CaseRecord record = call.theCase();
    Map<String, @Nullable Object> all = new LinkedHashMap<>(shown(call.caller(), record));
    OptionalLong due = OptionalLong.of(record.dueMillis());
    all.put("due", due.getAsLong() == CaseRecord.NEVER ? null : StateJson.time(due.getAsLong()));
    all.put("epoch", record.epoch());
    all.put("evidence", record.evidence());
    all.put("problems", new LinkedHashMap<>(record.facts().problems()));
    all.put(
        "receipts",
        new ReceiptJson(desk.sources(record), record.workflow())
            .all(desk.engine().receipts(record.caseId())));
    return ApiReply.revised(200, all, record.revision());
  }
}

package dev.damask.routes;

import dev.damask.api.ApiReply;
import dev.damask.api.Call;
import dev.damask.api.Catalog;
import dev.damask.api.Desk;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.Sources;
import dev.damask.document.LoadedDocument;
import dev.damask.drawing.Drawing;
import dev.damask.drawing.Marks;
import dev.damask.drawing.Theme;
import dev.damask.json.JsonWriter;
import dev.damask.program.ProgramHash;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.term.Schedule;
import dev.damask.term.WorkflowDefinition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The routes that list, show and draw workflows.
final class WorkflowRoutes {
  private final Desk desk;

  WorkflowRoutes(Desk desk) {
    this.desk = desk;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/v1/workflows", "Lists the workflows with their cases by status.")
            .example("/v1/workflows", "")
            .to(this::list),
        Route.get("/v1/workflows/{workflow}", "Shows a workflow in one of its versions.")
            .query("program", "The version; the current one without it.")
            .example("/v1/workflows/order", "")
            .to(this::show),
        Route.get("/v1/workflows/{workflow}/drawing", "Draws a workflow.")
            .query("program", "The version; the current one without it.")
            .query("theme", "`light` or `dark`; without it, the reader's system decides.")
            .answer(Route.SVG)
            .example("/v1/workflows/order/drawing?theme=dark", "")
            .to(this::draw));
  }

  private ApiReply list(Call call) {
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    for (String name : desk.catalog().names(call.caller())) {
      List<Catalog.Version> versions = desk.catalog().versions(name);
      Catalog.Version version = versions.getFirst();
      items.add(
          JsonWriter.object(
              "workflow", name,
              "program", version.program().toString(),
              "version", version(name, version.program()),
              "current", version.isCurrent(),
              "document", version.document() != null,
              "versions", versions.stream().map(each -> named(name, each)).toList(),
              "cases", counts(name)));
    }
    return ApiReply.ok(JsonWriter.object("items", items, "next", null));
  }

  private Map<String, @Nullable Object> named(String workflow, Catalog.Version version) {
    return JsonWriter.object(
        "program", version.program().toString(),
        "version", version(workflow, version.program()),
        "current", version.isCurrent());
  }

  private String version(String workflow, ProgramHash program) {
    WorkflowDefinition definition = desk.catalog().sources(workflow, program).definition();
    return definition == null ? "" : definition.version();
  }

  private Map<String, @Nullable Object> counts(String workflow) {
    Map<String, @Nullable Object> counts = new LinkedHashMap<>();
    for (CaseStatus status : CaseStatus.values()) {
      if (CaseListing.isCounted(status)) {
        CaseQuery query = CaseQuery.ALL.withWorkflow(workflow).withStatus(status);
        counts.put(status.name(), CaseListing.shown(CaseListing.count(desk, query)));
      }
    }
    return counts;
  }

  private ApiReply show(Call call) {
    String workflow = call.at("workflow");
    Catalog.Version version = desk.catalog().version(workflow, call.ask("program"));
    Sources sources = desk.catalog().sources(workflow, version.program());
    WorkflowDefinition definition = sources.definition();
    LoadedDocument document = version.document();
    return ApiReply.ok(
        JsonWriter.object(
            "workflow",
            workflow,
            "program",
            version.program().toString(),
            "version",
            definition == null ? "" : definition.version(),
            "description",
            definition == null ? "" : definition.description(),
            "current",
            version.isCurrent(),
            "versions",
            versions(workflow),
            "document",
            document == null ? null : text(document),
            "places",
            sources.json(),
            "standing",
            standing(workflow, sources),
            "input",
            document == null ? null : document.document().input().value(),
            "output",
            document == null ? null : document.document().output().value(),
            "signals",
            sources.signals(),
            "tasks",
            sources.tasks(),
            "attributes",
            definition == null
                ? List.of()
                : definition.attributes().stream().map(each -> each.name()).toList(),
            "cases",
            counts(workflow)));
  }

  static String text(LoadedDocument document) {
    return new String(document.bytes().toArray(), StandardCharsets.UTF_8);
  }

  private List<Map<String, @Nullable Object>> versions(String workflow) {
    Map<ProgramHash, Long> counts = new LinkedHashMap<>();
    long[] read = {0};
    for (CaseStatus status : CaseStatus.values()) {
      if (!status.isEnded() && status != CaseStatus.CORRUPT) {
        CaseQuery query = CaseQuery.ALL.withWorkflow(workflow).withStatus(status);
        CasePage page = desk.engine().list(query.withPage("", CaseListing.COUNTED_MAX));
        page.cases().forEach(each -> counts.merge(each.program(), 1L, Long::sum));
        read[0] += page.next().isEmpty() ? 0 : 1;
      }
    }
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    for (Catalog.Version each : desk.catalog().versions(workflow)) {
      all.add(
          JsonWriter.object(
              "program", each.program().toString(),
              "version", version(workflow, each.program()),
              "cases", counts.getOrDefault(each.program(), 0L),
              "more", read[0] > 0,
              "document", each.document() != null,
              "current", each.isCurrent()));
    }
    return all;
  }

  /// How many cases stand at each element, and since when the oldest does. Read from the index of
  /// what cases wait for.
  private List<Map<String, @Nullable Object>> standing(String workflow, Sources sources) {
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    for (Map.Entry<String, List<String>> each : sources.byName().entrySet()) {
      CaseQuery query = CaseQuery.ALL.withWorkflow(workflow).waitingFor(each.getKey());
      CasePage page = desk.engine().list(query.withPage("", CaseListing.COUNTED_MAX));
      if (page.cases().isEmpty()) {
        continue;
      }
      long[] changed =
          page.cases().stream().mapToLong(CaseRecord::changedMillis).sorted().toArray();
      for (String element : each.getValue()) {
        all.add(
            JsonWriter.object(
                "id", element,
                "name", each.getKey(),
                "count", (long) page.cases().size(),
                "more", !page.next().isEmpty(),
                "oldest", StateJson.time(changed[0]),
                "median", StateJson.time(changed[changed.length / 2])));
      }
    }
    return all;
  }

  private ApiReply draw(Call call) {
    String workflow = call.at("workflow");
    Catalog.Version version = desk.catalog().version(workflow, call.ask("program"));
    Sources sources = desk.catalog().sources(workflow, version.program());
    WorkflowDefinition definition = sources.definition();
    if (definition == null) {
      throw new Problem(
          Problem.Kind.CONFLICT, "this version has no definition here; register it to draw it");
    }
    LoadedDocument document = sources.document();
    Schedule schedule = document == null ? null : document.document().timing();
    Theme theme = HistoryRoutes.theme(call);
    return ApiReply.text(Route.SVG, Drawing.svg(definition, Marks.NONE, theme, schedule));
  }
}

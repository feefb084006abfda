package dev.damask.routes;

import static dev.damask.api.BodyShape.may;
import static dev.damask.api.BodyShape.need;

import dev.damask.api.ApiReply;
import dev.damask.api.BodyShape;
import dev.damask.api.Call;
import dev.damask.api.Desk;
import dev.damask.api.Jobs;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.caller.MigrationResult;
import dev.damask.event.Mapping;
import dev.damask.json.JsonWriter;
import dev.damask.ops.MigrationPlan;
import dev.damask.ops.MigrationProgress;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The routes that move cases to another version of their workflow.
final class MigrationRoutes {
  private static final int BATCH = 100;

  private final Desk desk;

  MigrationRoutes(Desk desk) {
    this.desk = desk;
  }

  List<Route> routes() {
    return List.of(
        Route.post("/v1/cases/{case}/migrate", "Moves a case to another version.")
            .access(RouteAccess.ADMIN)
            .body(
                need("to", BodyShape.TEXT, "The program of the new version."),
                may("mapping", MAPPING, "What was renamed."))
            .to(this::one),
        Route.post(
                "/v1/workflows/{workflow}/migration",
                "Moves all cases of a version that can be moved, as a job, or tries it.")
            .access(RouteAccess.ADMIN)
            .body(
                need("from", BodyShape.TEXT, "The program of the old version."),
                need("to", BodyShape.TEXT, "The program of the new version."),
                may("mapping", MAPPING, "What was renamed."),
                may("dryRun", BodyShape.FLAG, "Whether nothing is changed."))
            .answer(200, 202)
            .to(this::all));
  }

  private static final BodyShape MAPPING =
      BodyShape.of(
          may("tasks", BodyShape.DATA, "New names of tasks by their old ones."),
          may("scopes", BodyShape.DATA, "New names of scopes and sets of instances."),
          may("places", BodyShape.DATA, "New names of places."));

  private static Mapping mapping(Call call) {
    Mapping mapping = Mapping.NONE;
    Map<String, @Nullable Object> given = call.data("mapping");
    for (String kind : List.of("tasks", "scopes", "places")) {
      if (given.get(kind) instanceof Map<?, ?> names) {
        for (Map.Entry<?, ?> each : names.entrySet()) {
          String before = String.valueOf(each.getKey());
          String after = String.valueOf(each.getValue());
          mapping =
              switch (kind) {
                case "tasks" -> mapping.task(before, after);
                case "scopes" -> mapping.scope(before, after);
                default -> mapping.place(before, after);
              };
        }
      }
    }
    return mapping;
  }

  private ProgramHash program(String workflow, String program) {
    return desk.catalog().version(workflow, Optional.of(program)).program();
  }

  private ApiReply one(Call call) {
    CaseRecord record = call.theCase();
    ProgramHash target = program(record.workflow(), call.need("to"));
    return switch (desk.engine().migrations().move(record.caseId(), target, mapping(call))) {
      case MigrationResult.Moved(var revision) ->
          ApiReply.revised(200, Desk.changed("moved", revision), revision);
      case MigrationResult.Refused(var reasons, var revision) ->
          throw new Problem(
                  Problem.Kind.CONFLICT, "the case cannot be moved: " + reasons.getFirst())
              .with("reasons", reasons)
              .with("revision", revision);
    };
  }

  private ApiReply all(Call call) {
    String workflow = call.at("workflow");
    ProgramHash from = program(workflow, call.need("from"));
    ProgramHash to = program(workflow, call.need("to"));
    MigrationPlan plan = desk.engine().migrations().plan(from, to, mapping(call));
    Map<String, @Nullable Object> explained = explained(plan);
    if (call.flag("dryRun")) {
      explained.putAll(progress(plan.dryRun()));
      return ApiReply.ok(explained);
    }
    plan.requireCode();
    Jobs.Job job =
        desk.jobs()
            .start(
                "migration",
                workflow,
                running ->
                    progress(
                        plan.run(
                            BATCH,
                            each -> {
                              running.progress(each.moved(), each.refused(), 0);
                              return !running.isStopping();
                            })));
    explained.putAll(job.json());
    return new ApiReply.Json(202, explained, Map.of());
  }

  private static Map<String, @Nullable Object> explained(MigrationPlan plan) {
    List<Map<String, @Nullable Object>> parts = new ArrayList<>();
    for (MigrationPlan.Part each : plan.parts()) {
      parts.add(
          JsonWriter.object(
              "what", each.what(),
              "from", each.path(),
              "to", each.partner(),
              "why", each.why(),
              "lost", each.isLost()));
    }
    return JsonWriter.object("mapping", parts);
  }

  private static Map<String, @Nullable Object> progress(MigrationProgress progress) {
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    progress
        .examples()
        .forEach((id, reasons) ->
            items.add(
                JsonWriter.object("id", id, "ok", false, "reason", String.join("; ", reasons))));
    return JsonWriter.object(
        "items", items,
        "reasons", progress.reasons(),
        "total", progress.moved() + progress.refused(),
        "possible", progress.moved(),
        "refused", progress.refused());
  }
}

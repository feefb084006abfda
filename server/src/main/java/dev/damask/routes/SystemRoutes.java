package dev.damask.routes;

import static dev.damask.api.BodyShape.may;
import static dev.damask.api.BodyShape.need;

import dev.damask.api.ApiReply;
import dev.damask.api.BodyShape;
import dev.damask.api.Call;
import dev.damask.api.Caller;
import dev.damask.api.Desk;
import dev.damask.api.Jobs;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.api.RouteReach;
import dev.damask.api.Unstructured;
import dev.damask.cluster.ClusterProvider;
import dev.damask.cluster.Slots;
import dev.damask.effect.Permits;
import dev.damask.json.JsonWriter;
import dev.damask.nursery.ChildSnapshot;
import dev.damask.nursery.NurserySnapshot;
import dev.damask.ops.EffectFigures;
import dev.damask.ops.Latency;
import dev.damask.ops.Statistics;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The routes about the engine as a whole: statistics, nodes, quarantined cases, jobs.
final class SystemRoutes {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}");

  /// How many cases are counted for the total of a verification; the total of a larger store is 0.
  private static final int TOTAL_MAX = 100_000;

  private final Desk desk;

  SystemRoutes(Desk desk) {
    this.desk = desk;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/v1/statistics", "Shows rates, latencies and counts.")
            .example("/v1/statistics", "")
            .to(this::statistics),
        Route.get("/v1/nodes", "Lists the nodes of a cluster.")
            .reach(RouteReach.WHOLE)
            .example("/v1/nodes", "")
            .to(this::nodes),
        Route.get("/v1/quarantined", "Lists the quarantined and corrupt cases with evidence.")
            .example("/v1/quarantined", "")
            .to(this::quarantined),
        Route.get("/v1/nursery", "Shows the tree of what runs inside the engine.")
            .reach(RouteReach.WHOLE)
            .example("/v1/nursery", "")
            .to(this::nursery),
        Route.post("/v1/jobs/verify", "Checks the whole store as a job.")
            .access(RouteAccess.ADMIN)
            .reach(RouteReach.WHOLE)
            .body()
            .answer(202)
            .example("/v1/jobs/verify", "{}")
            .to(this::verify),
        Route.post("/v1/jobs/backup", "Writes a copy of the store as a job.")
            .access(RouteAccess.ADMIN)
            .reach(RouteReach.WHOLE)
            .body(
                need("name", BodyShape.TEXT, "The new directory in the server's backup directory."),
                may("link", BodyShape.FLAG, "Whether immutable files are linked, not copied."))
            .answer(202)
            .to(this::backup),
        Route.get("/v1/jobs", "Lists the jobs since the start of the server, newest first.")
            .access(RouteAccess.OPERATOR)
            .example("/v1/jobs", "")
            .to(call ->
                ApiReply.ok(
                    JsonWriter.object(
                        "items",
                        desk.jobs().list(call.caller()).stream().map(Jobs.Job::json).toList(),
                        "next",
                        null))),
        Route.get("/v1/jobs/{job}", "Shows how far a job is.")
            .access(RouteAccess.OPERATOR)
            .to(call -> ApiReply.ok(job(call).json())),
        Route.post("/v1/jobs/{job}/stop", "Stops a job; what it has done stays done.")
            .access(RouteAccess.ADMIN)
            .body()
            .to(call -> {
              Jobs.Job job = job(call);
              job.stop();
              return ApiReply.ok(job.json());
            }),
        Route.get("/health/live", "Tells whether the server runs.")
            .access(RouteAccess.ANONYMOUS)
            .reach(RouteReach.NONE)
            .example("/health/live", "")
            .to(_ -> ApiReply.ok(JsonWriter.object("status", "up"))),
        Route.get("/health/ready", "Tells whether the engine works.")
            .access(RouteAccess.ANONYMOUS)
            .reach(RouteReach.NONE)
            .example("/health/ready", "")
            .to(this::ready),
        Route.get("/metrics", "Shows metrics in the text format of Prometheus.")
            .answer("text/plain; version=0.0.4; charset=utf-8")
            .example("/metrics", "")
            .to(call ->
                ApiReply.text(
                    "text/plain; version=0.0.4; charset=utf-8",
                    new MetricsText(desk).of(call.caller()))));
  }

  private ApiReply ready(Call call) {
    boolean isUp = desk.engine().stopReason().isEmpty();
    return new ApiReply.Json(
        isUp ? 200 : 503, JsonWriter.object("status", isUp ? "up" : "down"), Map.of());
  }

  /// Returns the counts of cases by status that a caller sees.
  static Map<String, @Nullable Object> counts(Desk desk, Caller caller) {
    Map<String, @Nullable Object> counts = new LinkedHashMap<>();
    for (CaseStatus status : CaseStatus.values()) {
      if (!CaseListing.isCounted(status)) {
        continue;
      }
      long count = 0;
      if (caller.seesAll()) {
        count = CaseListing.count(desk, CaseQuery.ALL.withStatus(status));
      } else {
        for (String each : desk.catalog().names(caller)) {
          count += CaseListing.count(desk, CaseQuery.ALL.withWorkflow(each).withStatus(status));
        }
      }
      counts.put(status.name(), CaseListing.shown(count));
    }
    return counts;
  }

  private ApiReply statistics(Call call) {
    Map<String, @Nullable Object> all =
        JsonWriter.object(
            "at", desk.clock().instant().toString(), "cases", counts(desk, call.caller()));
    if (!call.caller().seesAll()) {
      return ApiReply.ok(all); // the rest counts cases of all workflows
    }
    Statistics now = desk.engine().statistics();
    all.putAll(
        JsonWriter.object(
            "uptime", now.uptime().toString(),
            "commitsPerSecond", now.perSecond(now.commits()),
            "effectsPerSecond", now.perSecond(now.effects()),
            "startsPerSecond", now.perSecond(now.started()),
            "started", now.started(),
            "ended", now.ended(),
            "removed", now.removed(),
            "steps", now.steps(),
            "effects", now.effects(),
            "commits", now.commits(),
            "batches", now.batches(),
            "bytes", now.bytes(),
            "resident", now.resident(),
            "inbox", now.inbox(),
            "openCalls", now.openCalls(),
            "incidents", now.incidents(),
            "waitingForPermit", now.waitingForPermit(),
            "casesWithoutProgram", now.casesWithoutProgram(),
            "slowMoves", now.slowMoves(),
            "shardRestarts", now.shardRestarts(),
            "durable", latency(now.committing()),
            "moving", latency(now.moving()),
            "cancelling", latency(now.cancelling()),
            "byType", now.byType().stream().map(SystemRoutes::figures).toList(),
            "storeBytes", StoreSize.of(desk.site().folder()),
            "limits", desk.engine().limits().stream().map(SystemRoutes::limit).toList()));
    return ApiReply.ok(all);
  }

  private static Map<String, @Nullable Object> latency(Latency latency) {
    return JsonWriter.object(
        "count", latency.count(),
        "mean", latency.meanMicros() / 1_000.0,
        "p50", latency.p50Micros() / 1_000.0,
        "p99", latency.p99Micros() / 1_000.0,
        "max", latency.maxMicros() / 1_000.0);
  }

  private static Map<String, @Nullable Object> figures(EffectFigures figures) {
    Map<String, @Nullable Object> all =
        JsonWriter.object(
            "name", figures.type(), "calls", figures.calls(), "failed", figures.failed());
    Map<String, @Nullable Object> duration = latency(figures.duration());
    duration.remove("count");
    all.putAll(duration);
    return all;
  }

  private static Map<String, @Nullable Object> limit(Permits.View view) {
    return JsonWriter.object(
        "type", view.type(),
        "running", (long) view.running(),
        "waiting", (long) view.waiting());
  }

  private ApiReply nodes(Call call) {
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    long owned = 0;
    for (ClusterProvider.NodeView each : desk.site().nodes().get()) {
      owned += each.isFenced() ? 0 : each.slots();
      items.add(
          JsonWriter.object(
              "node", (long) each.id(),
              "epoch", each.epoch(),
              "state", each.isFenced() ? "FENCED" : "ALIVE",
              "heartbeat", each.heartbeat(),
              "slots", each.slots(),
              "inbox", each.inbox(),
              "address", each.address()));
    }
    boolean isCluster = !items.isEmpty();
    return ApiReply.ok(
        JsonWriter.object(
            "items",
            items,
            "slots",
            isCluster ? (long) Slots.COUNT : 0L,
            "unowned",
            isCluster ? Slots.COUNT - owned : 0L,
            "missing",
            unstructured(desk.site().missing().get()),
            "held",
            unstructured(desk.site().held().get()),
            "next",
            null));
  }

  private static List<Unstructured> unstructured(List<String> texts) {
    return texts.stream().map(each -> new Unstructured("", each)).toList();
  }

  private ApiReply quarantined(Call call) {
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    for (CaseStatus status : List.of(CaseStatus.QUARANTINED, CaseStatus.CORRUPT)) {
      CaseQuery query = CaseQuery.ALL.withStatus(status).withPage("", CaseQuery.LIMIT_MAX);
      List<CaseQuery> queries =
          call.caller().seesAll()
              ? List.of(query)
              : desk.catalog().names(call.caller()).stream().map(query::withWorkflow).toList();
      for (CaseQuery own : queries) {
        desk.engine().list(own).cases().forEach(each -> items.add(evidence(each)));
      }
    }
    return ApiReply.ok(JsonWriter.object("items", items, "next", null));
  }

  private static Map<String, @Nullable Object> evidence(CaseRecord record) {
    return JsonWriter.object(
        "id", record.caseId(),
        "workflow", record.workflow(),
        "status", record.status().name(),
        "why",
            new Unstructured(record.workflow(), record.evidence().lines().findFirst().orElse("")),
        "evidence", new Unstructured("", record.evidence()),
        "since", StateJson.time(record.changedMillis()));
  }

  private ApiReply nursery(Call call) {
    return ApiReply.ok(
        JsonWriter.object(
            "items",
            desk.engine().nurseries().stream().map(SystemRoutes::tree).toList(),
            "next",
            null));
  }

  private static Map<String, @Nullable Object> tree(NurserySnapshot nursery) {
    return JsonWriter.object(
        "name", nursery.name(),
        "state", nursery.state().name(),
        "age", nursery.age().toString(),
        "cancelled", nursery.cancelled(),
        "spawned", nursery.spawned(),
        "children", nursery.children().stream().map(SystemRoutes::child).toList());
  }

  private static Map<String, @Nullable Object> child(ChildSnapshot child) {
    return JsonWriter.object(
        "name", child.name(),
        "state", child.state().name(),
        "age", child.age().toString(),
        "children", child.nurseries().stream().map(SystemRoutes::tree).toList());
  }

  private ApiReply verify(Call call) {
    Jobs.Job job =
        desk.jobs()
            .start(
                "verify",
                "",
                running -> {
                  int counted = desk.engine().ids("", TOTAL_MAX).size();
                  long total = counted == TOTAL_MAX ? 0 : counted;
                  List<String> problems =
                      desk.engine()
                          .verify(done -> {
                            running.progress(done, 0, total == 0 ? 0 : Math.max(total, done));
                            running.requireRunning();
                          });
                  return JsonWriter.object("problems", problems);
                });
    return new ApiReply.Json(202, job.json(), Map.of());
  }

  private ApiReply backup(Call call) {
    String name = call.need("name");
    Path parent =
        desk.site()
            .backups()
            .orElseThrow(() ->
                new Problem(
                    Problem.Kind.CONFLICT, "the server has no backup directory; set --backups"));
    boolean isAnywhere = parent.getNameCount() == 0 && Path.of(name).isAbsolute();
    if (!isAnywhere && !NAME.matcher(name).matches()) {
      throw Problem.bad("name has from 1 to 100 letters, digits, '.', '_' and '-'");
    }
    Store.Backup files = call.flag("link") ? Store.Backup.LINKS : Store.Backup.COPIES;
    Jobs.Job job =
        desk.jobs()
            .start(
                "backup",
                "",
                _ -> {
                  desk.engine().backup(parent.resolve(name), files);
                  return JsonWriter.object("name", name);
                });
    return new ApiReply.Json(202, job.json(), Map.of());
  }

  private Jobs.Job job(Call call) {
    return desk.jobs()
        .find(call.caller(), call.at("job"))
        .orElseThrow(() -> Problem.notFound("job", Call.shortened(call.at("job"))));
  }
}

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
import dev.damask.caller.Actor;
import dev.damask.caller.CaseReply;
import dev.damask.cases.Engine;
import dev.damask.event.Reply;
import dev.damask.json.JsonWriter;
import dev.damask.ops.Incident;
import dev.damask.ops.IncidentQuery;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The route that acts on all cases that match a filter, as a job on the server.
final class BulkRoutes {
  private static final List<String> ACTIONS =
      List.of("cancel", "retry", "pause", "resume", "signal");
  private static final int EXAMPLES_MAX = 20;

  private final Desk desk;
  private final CaseListing list;

  BulkRoutes(Desk desk) {
    this.desk = desk;
    this.list = new CaseListing(desk);
  }

  List<Route> routes() {
    return List.of(
        Route.post(
                "/v1/cases/bulk", "Acts on all cases that match a filter, as a job, or tries it.")
            .access(RouteAccess.OPERATOR)
            .query("workflow", "Only cases of this workflow; a limited token must name one.")
            .query("program", "Only cases that have this version of their workflow.")
            .query("status", "Only cases with this status.")
            .query("where", "A query such as `customer = 'acme' and waitingFor = ship`.")
            .query("since", "Only cases that started at or after this time.")
            .query("until", "Only cases that started before this time.")
            .body(
                need("action", BodyShape.TEXT, "cancel, retry, pause, resume or signal."),
                may("reason", BodyShape.TEXT, "Why, for people; required for pause."),
                may("place", BodyShape.TEXT, "With signal: the place."),
                may("payload", BodyShape.DATA, "With signal: the data of the token."),
                may("dryRun", BodyShape.FLAG, "Whether only to count what would happen."))
            .answer(202)
            .example("/v1/cases/bulk?workflow=order", "{\"action\":\"cancel\",\"dryRun\":true}")
            .to(this::start));
  }

  private ApiReply start(Call call) {
    String action = call.need("action");
    if (!ACTIONS.contains(action)) {
      throw Problem.bad("action must be one of " + String.join(", ", ACTIONS));
    }
    if (action.equals("pause")) {
      call.need("reason");
    }
    if (action.equals("signal")) {
      call.need("place");
    }
    CaseQuery query = CaseListing.query(call);
    String workflow = query.workflow() == null ? "" : query.workflow();
    if (workflow.isEmpty() && !call.caller().seesAll()) {
      throw Problem.bad("workflow is missing; the token is limited to some workflows");
    }
    if (!workflow.isEmpty() && (!call.caller().sees(workflow) || !desk.catalog().has(workflow))) {
      throw Problem.notFound("workflow", Call.shortened(workflow));
    }
    list.each(call.caller(), query, _ -> false); // refuses a filter before the job begins
    boolean isDry = call.flag("dryRun");
    Jobs.Job job =
        desk.jobs().start("bulk " + action, workflow, running -> run(call, query, isDry, running));
    return new ApiReply.Json(202, job.json(), Map.of());
  }

  private Map<String, @Nullable Object> run(
      Call call, CaseQuery query, boolean isDry, Jobs.Job job) {
    long[] total = {0};
    list.each(
        call.caller(),
        query,
        _ -> {
          total[0]++;
          return !job.isStopping();
        });
    Fates fates = new Fates();
    list.each(
        call.caller(),
        query,
        each -> {
          if (job.isStopping() || !call.isStillValid().getAsBoolean()) {
            job.stop();
            return !job.isStopping();
          }
          fates.add(each, isDry ? expected(call, each) : done(call, each));
          job.progress(fates.done, fates.refused, Math.max(total[0], fates.done + fates.refused));
          return true;
        });
    return fates.json(isDry);
  }

  /// What has become of the cases.
  private static final class Fates {
    private final Map<String, Long> counts = new TreeMap<>();
    private final List<Map<String, @Nullable Object>> examples = new ArrayList<>();
    private long done;
    private long refused;

    void add(CaseRecord record, Reply reply) {
      boolean isDone = reply == Reply.ACCEPTED || reply == Reply.BUFFERED || reply == Reply.STORED;
      String word = reply.name().toLowerCase(Locale.ROOT);
      counts.merge(word, 1L, Long::sum);
      if (isDone) {
        done++;
      } else {
        refused++;
        if (examples.size() < EXAMPLES_MAX) {
          examples.add(JsonWriter.object("id", record.caseId(), "outcome", word));
        }
      }
    }

    Map<String, @Nullable Object> json(boolean isDry) {
      return JsonWriter.object(
          "dryRun", isDry, "outcomes", new TreeMap<String, Object>(counts), "refused", examples);
    }
  }

  /// What an action would do, as far as the record of the case tells.
  private Reply expected(Call call, CaseRecord record) {
    if (record.status().isEnded()) {
      return Reply.CASE_ENDED;
    }
    boolean isFit =
        switch (call.need("action")) {
          case "pause" -> record.status() != CaseStatus.PAUSED;
          case "resume" -> record.status() == CaseStatus.PAUSED;
          case "retry" -> record.status() == CaseStatus.QUARANTINED || !incidents(record).isEmpty();
          case "signal" -> record.facts().waits().contains(call.need("place"));
          default -> record.status() != CaseStatus.CORRUPT;
        };
    return isFit ? Reply.ACCEPTED : Reply.REJECTED;
  }

  private List<Incident> incidents(CaseRecord record) {
    return desk.engine().incidents().list(IncidentQuery.ALL.withCase(record.caseId()));
  }

  /// Acts under the name of the caller: each change has its entry in the audit log.
  private Reply done(Call call, CaseRecord record) {
    Actor actor = Actor.named(call.caller().name()).because(call.text("reason").orElse(""));
    try {
      return desk.engine().as(actor, engine -> acted(engine, call, record)).kind();
    } catch (IllegalArgumentException | IllegalStateException e) {
      return Reply.REJECTED; // it was removed, or is corrupt
    }
  }

  private CaseReply acted(Engine engine, Call call, CaseRecord record) {
    String id = record.caseId();
    String reason = call.text("reason").orElse("");
    return switch (call.need("action")) {
      case "pause" -> engine.pause(id, reason);
      case "resume" -> engine.resume(id);
      case "signal" -> engine.signal(id, call.need("place"), call.data("payload"));
      case "retry" -> {
        if (record.status() == CaseStatus.QUARANTINED) {
          yield engine.retry(id);
        }
        CaseReply last = new CaseReply(Reply.REJECTED, record.revision());
        for (Incident each : incidents(record)) {
          last = engine.incidents().retry(id, each.id());
        }
        yield last;
      }
      default -> engine.cancel(id, "case", reason);
    };
  }
}

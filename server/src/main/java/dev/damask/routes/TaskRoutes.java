package dev.damask.routes;

import static dev.damask.api.BodyShape.may;
import static dev.damask.api.BodyShape.need;

import dev.damask.api.ApiReply;
import dev.damask.api.BodyShape;
import dev.damask.api.Call;
import dev.damask.api.Caller;
import dev.damask.api.Confidential;
import dev.damask.api.Cursor;
import dev.damask.api.Desk;
import dev.damask.api.Problem;
import dev.damask.api.Role;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.api.RouteReach;
import dev.damask.api.Shares;
import dev.damask.api.Unstructured;
import dev.damask.json.JsonWriter;
import dev.damask.ops.ClaimedTask;
import dev.damask.ops.TaskPage;
import dev.damask.ops.TaskQuery;
import dev.damask.ops.TaskWorker;
import dev.damask.ops.Tasks;
import dev.damask.ops.WaitingTask;
import dev.damask.value.Context;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The routes of workers in any language: what waits for a person or a program, claims and answers.
final class TaskRoutes {
  private static final Duration LEASE_MAX = Duration.ofHours(24);
  private static final Duration WAIT_MAX = Duration.ofSeconds(30);
  private static final int POLLS_MAX = 1_000;

  private final Desk desk;
  private final Shares polls = new Shares("workers wait", POLLS_MAX);

  TaskRoutes(Desk desk) {
    this.desk = desk;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/v1/tasks", "Lists what waits for a person or a program.")
            .access(RouteAccess.ANY)
            .query("type", "Only tasks of this effect type.")
            .query("assignee", "Only tasks of this assignee.")
            .query("workflow", "Only tasks of this workflow.")
            .query("before", "Only tasks that have waited since before this time.")
            .query("limit", "The page size, from 1 to 1000; 100 without it.")
            .query("cursor", "`next` of the page before.")
            .example("/v1/tasks", "")
            .to(this::list),
        Route.post("/v1/tasks/claim", "Claims tasks for a while; waits until there is one.")
            .access(RouteAccess.WORKER)
            .body(
                need("types", BodyShape.list(BodyShape.TEXT), "The effect types."),
                may("max", BodyShape.WHOLE, "How many at most, from 1 to 1000; 1 without it."),
                may("lease", BodyShape.TEXT, "How long, such as PT1M; PT30S without it."),
                may("wait", BodyShape.TEXT, "How long to wait, at most PT30S; not without it."))
            .example("/v1/tasks/claim", "{\"types\":[\"ship\"],\"max\":2}")
            .to(this::claim),
        answer("heartbeat", "Extends the lease of a claim.")
            .body(
                may("lease", BodyShape.TEXT, "How long from now, such as PT1M; PT30S without it."))
            .to(this::heartbeat),
        answer("complete", "Completes a claimed task.")
            .body(may("result", BodyShape.DATA, "The result of the task."))
            .to(call -> late(desk.engine().tasks().complete(held(call), call.data("result")))),
        answer("fail", "Fails the attempt of a claimed task.")
            .body(
                need("reason", BodyShape.TEXT, "Why, in one word for the workflow."),
                may("detail", BodyShape.TEXT, "Why, for people."))
            .to(call ->
                late(
                    desk.engine()
                        .tasks()
                        .fail(held(call), call.need("reason"), call.text("detail").orElse("")))),
        answer("release", "Gives a claimed task back.").body().to(this::release),
        Route.get("/v1/workers", "Lists the workers that have asked for tasks lately.")
            .reach(RouteReach.WHOLE)
            .example("/v1/workers", "")
            .to(this::workers));
  }

  private static Route.Builder answer(String word, String about) {
    return Route.post("/v1/tasks/{claim}/" + word, about).access(RouteAccess.WORKER);
  }

  private boolean isVisible(Caller caller, WaitingTask task) {
    return caller.sees(task.workflow())
        && (caller.role() != Role.WORKER || caller.claims(task.type()));
  }

  private ApiReply list(Call call) {
    int limit = (int) call.ask("limit", 100, 1, TaskQuery.LIMIT_MAX);
    String after = call.ask("cursor").map(each -> Cursor.parts(each, 1).getFirst()).orElse("");
    TaskQuery query =
        new TaskQuery(
            call.ask("type"),
            call.ask("assignee"),
            call.ask("workflow"),
            call.ask("before").map(TaskRoutes::time),
            after,
            limit);
    TaskPage page =
        desk.engine()
            .tasks()
            .only(each ->
                isVisible(call.caller(), each)
                    && (query.assignee().isEmpty() || showsAssignee(call.caller(), each)))
            .list(query);
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    page.tasks().forEach(each -> items.add(listed(call.caller(), each)));
    return ApiReply.ok(
        JsonWriter.object(
            "items", items, "next", page.next().isEmpty() ? null : Cursor.of(page.next())));
  }

  /// A worker needs the assignee, which is part of the request that the task makes; for others it
  /// may be a redacted value.
  private boolean showsAssignee(Caller caller, WaitingTask task) {
    return caller.role() == Role.WORKER
        || !desk.redaction().hidesUnstructured(caller, task.workflow());
  }

  private Map<String, @Nullable Object> listed(Caller caller, WaitingTask task) {
    Map<String, @Nullable Object> all = task(task);
    if (!task.assignee().isEmpty() && caller.role() != Role.WORKER) {
      all.put("assignee", new Unstructured(task.workflow(), task.assignee()));
    }
    return all;
  }

  private static Instant time(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw Problem.bad("before must be a time such as 2026-11-15T10:00:00Z");
    }
  }

  private static Map<String, @Nullable Object> task(WaitingTask task) {
    return JsonWriter.object(
        "case", task.caseId(),
        "workflow", task.workflow(),
        "id", task.id().toString(),
        "name", task.task(),
        "task", task.address(),
        "type", task.type(),
        "assignee", task.assignee().isEmpty() ? null : task.assignee(),
        "since", task.since().toString());
  }

  private ApiReply claim(Call call) throws InterruptedException {
    Caller caller = call.caller();
    List<String> types = call.texts("types");
    for (String each : types) {
      if (!caller.claims(each)) {
        throw new Problem(
            Problem.Kind.FORBIDDEN,
            "the token may not claim tasks of type '" + Call.shortened(each) + "'");
      }
    }
    if (caller.seesSecrets() && call.onceId().isPresent()) {
      throw Problem.bad("a claim with secrets accepts no Idempotency-Key: its reply is not stored");
    }
    int max = Math.clamp(call.whole("max").orElse(1), 0, Integer.MAX_VALUE);
    Duration wait = duration(call, "wait", Duration.ZERO, WAIT_MAX);
    Duration lease = duration(call, "lease", Duration.ofSeconds(30), LEASE_MAX);
    polls.take(caller);
    try {
      Tasks own = desk.engine().tasks().only(each -> caller.sees(each.workflow()));
      List<ClaimedTask> claimed = own.claim(caller.name(), types, max, lease, wait);
      return ApiReply.ok(
          JsonWriter.object("items", claimed.stream().map(each -> claimed(caller, each)).toList()));
    } finally {
      polls.release(caller);
    }
  }

  private static Duration duration(Call call, String name, Duration missing, Duration most) {
    Optional<String> text = call.text(name);
    if (text.isEmpty()) {
      return missing;
    }
    try {
      Duration value = Duration.parse(text.get());
      if (!value.isNegative() && value.compareTo(most) <= 0) {
        return value;
      }
    } catch (DateTimeException e) {
      // reported below
    }
    throw Problem.bad("%s must be a duration of at most %s".formatted(name, most));
  }

  /// Secrets and values of redacted keys are markers in a claim, unless the token has the right to
  /// see them.
  private Map<String, @Nullable Object> claimed(Caller caller, ClaimedTask claimed) {
    Map<String, @Nullable Object> all = task(claimed.task());
    all.put("claim", encoded(claimed.claim()));
    all.put("attempt", (long) claimed.attempt());
    all.put("key", claimed.key());
    all.put("delivery", claimed.delivery().name());
    all.put("until", claimed.until().toString());
    Context payload =
        caller.seesSecrets() ? desk.engine().withSecrets(claimed.with()) : claimed.with();
    all.put("payload", Confidential.of(claimed.task().workflow(), payload));
    return all;
  }

  private static String encoded(String claim) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(claim.getBytes(StandardCharsets.UTF_8));
  }

  /// The claim that the path names, if it is about a case that exists for the caller.
  private String held(Call call) {
    String claim = Cursor.parts(call.at("claim"), 1).getFirst();
    String[] parts = claim.split("/", 3);
    if (parts.length != 3 || desk.find(call.caller(), parts[2]).isEmpty()) {
      throw Problem.notFound("claim", Call.shortened(call.at("claim")));
    }
    return claim;
  }

  private static ApiReply late(dev.damask.caller.CaseReply reply) {
    return ActionRoutes.answer(reply);
  }

  private ApiReply heartbeat(Call call) {
    Duration lease = duration(call, "lease", Duration.ofSeconds(30), LEASE_MAX);
    Instant until =
        desk.engine()
            .tasks()
            .heartbeat(held(call), lease)
            .orElseThrow(() ->
                new Problem(Problem.Kind.CONFLICT, "the claim was lost or has ended")
                    .with("outcome", "late"));
    return ApiReply.ok(JsonWriter.object("until", until.toString()));
  }

  private ApiReply release(Call call) {
    if (!desk.engine().tasks().release(held(call))) {
      throw new Problem(Problem.Kind.CONFLICT, "the claim was lost or has ended")
          .with("outcome", "late");
    }
    return ApiReply.ok(JsonWriter.object("released", true));
  }

  private ApiReply workers(Call call) {
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    for (TaskWorker each : desk.engine().tasks().workers()) {
      items.add(
          JsonWriter.object(
              "worker", each.name(),
              "types", List.copyOf(each.types()),
              "since", each.since().toString(),
              "last", each.seen().toString()));
    }
    return ApiReply.ok(JsonWriter.object("items", items, "next", null));
  }
}

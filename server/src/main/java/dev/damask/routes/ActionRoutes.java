package dev.damask.routes;

import static dev.damask.api.BodyShape.may;
import static dev.damask.api.BodyShape.need;

import dev.damask.api.ApiReply;
import dev.damask.api.BodyShape;
import dev.damask.api.Call;
import dev.damask.api.Desk;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.caller.CaseReply;
import dev.damask.caller.PendingTask;
import dev.damask.caller.SignalOptions;
import dev.damask.caller.StartReply;
import dev.damask.json.JsonWriter;
import dev.damask.store.CaseRecord;
import dev.damask.task.TaskAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The routes that send input to a case.
final class ActionRoutes {
  private final Desk desk;

  ActionRoutes(Desk desk) {
    this.desk = desk;
  }

  List<Route> routes() {
    return List.of(
        action("signal", "Puts a token on an external place of a case.")
            .body(
                need("place", BodyShape.TEXT, "The place."),
                may("payload", BodyShape.DATA, "The data of the token."),
                may("message", BodyShape.TEXT, "A message id that makes the signal idempotent."),
                may("traceparent", BodyShape.TEXT, "The W3C tracing context of later effects."))
            .repeatable()
            .example("/v1/cases/order-1/signal", "{\"place\":\"approved\",\"payload\":{}}")
            .to(this::signal),
        action("complete", "Completes a pending task, or a scope early.")
            .body(
                may("task", BodyShape.TEXT, "The task, such as `ship` or `ship[2]#1`."),
                may("result", BodyShape.DATA, "The result of the task."),
                may("scope", BodyShape.TEXT, "The scope that ends as if it had completed."))
            .example("/v1/cases/order-2/complete", "{\"task\":\"ship\",\"result\":{\"parcel\":7}}")
            .to(this::complete),
        action("decide", "Approves or rejects a task that waits for a decision.")
            .body(
                need("task", BodyShape.TEXT, "The task."),
                need("approve", BodyShape.FLAG, "Whether it is approved."))
            .to(this::decide),
        action("fail", "Fails an attempt of a pending task.")
            .body(
                need("task", BodyShape.TEXT, "The task, such as `ship` or `ship[2]#1`."),
                may("reason", BodyShape.TEXT, "Why; `failed` without it."))
            .example("/v1/cases/order-3/fail", "{\"task\":\"ship\",\"reason\":\"broken\"}")
            .to(this::fail),
        action("cancel", "Cancels a case, a scope, a set of instances or a task.")
            .body(
                may("scope", BodyShape.TEXT, "The scope or set of instances; the case without it."),
                may("task", BodyShape.TEXT, "The task that is cancelled alone."),
                may("reason", BodyShape.TEXT, "Why, for people."))
            .example("/v1/cases/order-4/cancel", "{\"reason\":\"ordered twice\"}")
            .to(this::cancel),
        action("retry", "Releases a quarantined case, or retries a task that is an incident.")
            .body(may("task", BodyShape.TEXT, "The task that is an incident."))
            .to(this::retry),
        action("pause", "Pauses a case: it stores its inputs and does nothing else.")
            .body(need("reason", BodyShape.TEXT, "Why, for people."))
            .example("/v1/cases/order-5/pause", "{\"reason\":\"wrong address\"}")
            .to(call -> answer(desk.engine().pause(call.theCase().caseId(), call.need("reason")))),
        action("resume", "Resumes a paused case.")
            .body()
            .to(call -> answer(desk.engine().resume(call.theCase().caseId()))),
        action("change", "Writes keys of the context of one waiting token.")
            .access(RouteAccess.ADMIN)
            .body(
                need("token", BodyShape.WHOLE, "The number of the token."),
                need("set", BodyShape.DATA, "The keys and their values."),
                need("reason", BodyShape.TEXT, "Why, for people."))
            .to(this::change),
        action("restart", "Starts a new case with the input or a past state of this one.")
            .body(
                may("position", BodyShape.WHOLE, "The position; without it, the same input."),
                may("id", BodyShape.TEXT, "The new id; the server chooses one without it."))
            .answer(201)
            .example("/v1/cases/order-6/restart", "{\"id\":\"order-6b\"}")
            .to(this::restart),
        Route.delete("/v1/cases/{case}", "Removes a case that has ended.")
            .access(RouteAccess.ADMIN)
            .to(this::delete),
        action("instances", "Adds an instance to an open set, or closes the set.")
            .body(
                need("set", BodyShape.TEXT, "The set of instances."),
                may("item", BodyShape.ANY, "The item of the new instance."),
                may("close", BodyShape.FLAG, "Whether no further instances are added."))
            .to(this::instances));
  }

  private static Route.Builder action(String word, String about) {
    return Route.post("/v1/cases/{case}/" + word, about).access(RouteAccess.OPERATOR);
  }

  private ApiReply signal(Call call) {
    String id = call.theCase().caseId();
    Map<String, @Nullable Object> payload = call.data("payload");
    Optional<String> message = call.text("message").or(call::onceId);
    SignalOptions options =
        message.map(SignalOptions.NONE::withMessageId).orElse(SignalOptions.NONE);
    Optional<String> trace = call.text("traceparent");
    SignalOptions all = trace.isPresent() ? options.withTraceparent(trace.get()) : options;
    return answer(desk.engine().signal(id, call.need("place"), payload, all));
  }

  private ApiReply complete(Call call) {
    CaseRecord record = call.theCase();
    Optional<String> scope = call.text("scope");
    if (scope.isPresent()) {
      return answer(desk.engine().complete(record.caseId(), scope.get()));
    }
    PendingTask task = task(record, call.need("task"));
    // The engine makes the caller the decider of an approval, never what the request says.
    return answer(desk.engine().completeTask(record.caseId(), task.id(), call.data("result")));
  }

  private ApiReply decide(Call call) {
    CaseRecord record = call.theCase();
    PendingTask task = task(record, call.need("task"));
    return answer(
        desk.engine()
            .decide(record.caseId(), task.id(), call.flag("approve"), call.caller().name()));
  }

  private ApiReply fail(Call call) {
    CaseRecord record = call.theCase();
    PendingTask task = task(record, call.need("task"));
    return answer(
        desk.engine().failTask(record.caseId(), task.id(), call.text("reason").orElse("failed")));
  }

  private ApiReply cancel(Call call) {
    CaseRecord record = call.theCase();
    Optional<String> task = call.text("task");
    if (task.isPresent()) {
      return answer(desk.engine().cancelTask(record.caseId(), task(record, task.get()).id()));
    }
    return answer(
        desk.engine()
            .cancel(
                record.caseId(),
                call.text("scope").orElse("case"),
                call.text("reason").orElse("")));
  }

  private ApiReply retry(Call call) {
    CaseRecord record = call.theCase();
    Optional<String> task = call.text("task");
    return answer(
        task.isPresent()
            ? desk.engine().incidents().retry(record.caseId(), task(record, task.get()).id())
            : desk.engine().retry(record.caseId()));
  }

  private ApiReply change(Call call) {
    long token = call.whole("token").orElse(0);
    if (token < 1 || token > Integer.MAX_VALUE) {
      throw Problem.bad("token must be the number of a token");
    }
    return answer(
        desk.engine()
            .changeData(
                call.theCase().caseId(), (int) token, call.data("set"), call.need("reason")));
  }

  private ApiReply restart(Call call) {
    String caseId = call.theCase().caseId();
    String id = call.text("id").orElseGet(call::newId);
    if (desk.engine().record(id).isPresent()) {
      throw new Problem(Problem.Kind.CONFLICT, "the id is taken; choose another one");
    }
    OptionalLong position = call.whole("position");
    StartReply reply =
        position.isPresent()
            ? desk.engine().startAgain(caseId, id, position.getAsLong())
            : desk.engine().startAgain(caseId, id);
    return ApiReply.revised(
        201, JsonWriter.object("id", id, "revision", reply.revision()), reply.revision());
  }

  private ApiReply delete(Call call) {
    String caseId = call.theCase().caseId();
    if (!desk.engine().delete(caseId)) {
      throw new Problem(Problem.Kind.CONFLICT, "the case has not ended; cancel it first");
    }
    return ApiReply.ok(JsonWriter.object("removed", caseId));
  }

  private ApiReply instances(Call call) {
    String id = call.theCase().caseId();
    String set = call.need("set");
    if (call.flag("close")) {
      return answer(desk.engine().closeInstances(id, set));
    }
    var item = call.body().get("item");
    return answer(
        item == null
            ? desk.engine().addInstance(id, set)
            : desk.engine().addInstance(id, set, item.plain()));
  }

  private PendingTask task(CaseRecord record, String text) {
    List<PendingTask> tasks = desk.engine().status(record.caseId()).tasks();
    return tasks.stream()
        .filter(each -> each.id().toString().equals(text))
        .findFirst()
        .or(() ->
            TaskAddress.parse(text).stream()
                .flatMap(address -> address.among(tasks, PendingTask::address).stream())
                .findFirst())
        .orElseThrow(() ->
            new Problem(
                Problem.Kind.CONFLICT,
                "case %s has no pending task '%s'"
                    .formatted(record.caseId(), Call.shortened(text))));
  }

  /// Returns the answer to an input: 200 if the case took it, else 409 with the case's reply.
  static ApiReply answer(CaseReply reply) {
    return switch (reply.kind()) {
      case ACCEPTED, BUFFERED, STORED ->
          ApiReply.revised(
              200,
              Desk.changed(reply.kind().name().toLowerCase(Locale.ROOT), reply.revision()),
              reply.revision());
      case LOST, REJECTED, LATE, NO_SUCH_REGION, CASE_ENDED ->
          throw new Problem(Problem.Kind.CONFLICT, sentence(reply.kind()))
              .with("outcome", reply.kind().name().toLowerCase(Locale.ROOT))
              .with("revision", reply.revision());
    };
  }

  private static String sentence(dev.damask.event.Reply kind) {
    return switch (kind) {
      case LOST -> "the place keeps nothing and no token waits for it";
      case REJECTED -> "the case does not accept this input";
      case LATE -> "the task has ended before";
      case NO_SUCH_REGION -> "the case has no open scope, set or place of this name";
      case CASE_ENDED -> "the case has ended";
      case ACCEPTED, BUFFERED, STORED -> "";
    };
  }
}

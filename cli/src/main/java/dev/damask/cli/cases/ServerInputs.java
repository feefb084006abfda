package dev.damask.cli.cases;

import dev.damask.attribute.CaseFacts;
import dev.damask.caller.CasePause;
import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.MigrationResult;
import dev.damask.caller.PendingTask;
import dev.damask.caller.SignalOptions;
import dev.damask.caller.StartReply;
import dev.damask.cli.command.Fields;
import dev.damask.cli.command.ServerClient;
import dev.damask.cli.command.ServerProblem;
import dev.damask.document.LoadedDocument;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Pause;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.event.StateView;
import dev.damask.json.JsonWriter;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseStatus;
import dev.damask.task.ChildTemplate;
import dev.damask.task.EffectId;
import dev.damask.task.TaskAddress;
import dev.damask.value.Context;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Sends inputs to a case of a server.
public final class ServerInputs implements CaseInputs {
  private static final int CONFLICT = 409;

  /// How a server begins to report that a new id exists.
  private static final String TAKEN = "the id is taken";

  private final ServerClient server;
  private final String caseId;

  private ServerInputs(ServerClient server, String caseId) {
    this.server = server;
    this.caseId = caseId;
  }

  /// Returns the inputs of a case. Throws [dev.damask.cli.command.Refusal] if it does not exist.
  ///
  /// @param file must be null: the server has the documents of its cases
  public static ServerInputs open(ServerClient server, String caseId, @Nullable Path file) {
    ServerCases.requireNone(server, file);
    ServerInputs inputs = new ServerInputs(server, caseId);
    inputs.shown(); // reports a case that does not exist
    return inputs;
  }

  private Map<String, @Nullable Object> shown() {
    return ServerCases.known(server, caseId, () -> server.get(ServerCases.path(caseId), Map.of()));
  }

  @Override
  public CaseView view() {
    return view(caseId, shown());
  }

  /// Returns a case as the route of one case shows it.
  public static CaseView view(String caseId, Map<String, @Nullable Object> shown) {
    Map<String, @Nullable Object> cancelled = Fields.object(shown, "cancelled");
    Map<String, @Nullable Object> paused = Fields.object(shown, "paused");
    String program = Fields.text(shown, "program");
    return new CaseView(
        caseId,
        Fields.text(shown, "workflow"),
        program.isEmpty() ? new ProgramHash(0, 0) : ProgramHash.parse(program),
        CaseStatus.valueOf(Fields.text(shown, "status")),
        Fields.whole(shown, "revision"),
        Context.empty(),
        Optional.empty(),
        cancelled.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new CaseResult.Cancelled<>(
                    Fields.text(cancelled, "scope"), Fields.text(cancelled, "reason"))),
        tasks(shown),
        Fields.texts(shown, "signals"),
        Fields.texts(shown, "sets"),
        due(shown),
        List.of(),
        List.of(),
        tokens(shown),
        List.of(),
        CaseFacts.NONE,
        paused.isEmpty() ? Optional.empty() : Optional.of(pause(paused)),
        Optional.empty());
  }

  /// Returns the effects of a case that a handler of the server performs now.
  public static Set<EffectId> calling(Map<String, @Nullable Object> shown) {
    Set<EffectId> all = new HashSet<>();
    for (Map<String, @Nullable Object> each : Fields.objects(shown, "effects")) {
      String type = Fields.text(each, "type");
      boolean isCalled =
          !Fields.text(each, "started").isEmpty()
              && Fields.text(each, "next").isEmpty()
              && !Fields.flag(each, "incident")
              && held(each) != EffectIntent.Held.FOR_TIME
              && held(each) != EffectIntent.Held.FOR_DECISION
              && !type.equals(ChildTemplate.TYPE);
      if (isCalled) {
        all.add(id(each));
      }
    }
    return all;
  }

  private static EffectId id(Map<String, @Nullable Object> effect) {
    return new EffectId(Long.parseUnsignedLong(Fields.text(effect, "id"), 16));
  }

  private static EffectIntent.Held held(Map<String, @Nullable Object> effect) {
    String word = Fields.text(effect, "held");
    return word.isEmpty() ? EffectIntent.Held.NOT : EffectIntent.Held.valueOf(word);
  }

  private static OptionalLong due(Map<String, @Nullable Object> shown) {
    return time(shown, "nextTimer");
  }

  private static OptionalLong time(Map<String, @Nullable Object> object, String name) {
    String time = Fields.text(object, name);
    return time.isEmpty() ? OptionalLong.empty() : OptionalLong.of(millis(time));
  }

  private static long millis(String time) {
    return Instant.parse(time).toEpochMilli();
  }

  private static CasePause pause(Map<String, @Nullable Object> paused) {
    return new CasePause(
        millis(Fields.text(paused, "since")),
        Fields.text(paused, "reason"),
        (int) Fields.whole(paused, "inputs"),
        false);
  }

  private static List<PendingTask> tasks(Map<String, @Nullable Object> shown) {
    List<PendingTask> all = new ArrayList<>();
    for (Map<String, @Nullable Object> each : Fields.objects(shown, "effects")) {
      String label = Fields.text(each, "task");
      TaskAddress address = TaskAddress.parse(label).orElse(TaskAddress.of(label, "", 0));
      Effect effect =
          new Effect(
              id(each),
              Fields.text(each, "name"),
              (int) Fields.whole(each, "attempts"),
              Fields.text(each, "type"),
              Fields.text(each, "key"));
      all.add(
          new PendingTask(
              effect,
              (int) Fields.whole(each, "token"),
              String.join(".", address.instance().stream().map(String::valueOf).toList()),
              address.execution(),
              held(each),
              time(each, "next"),
              Context.from(Fields.object(each, "payload")),
              Fields.flag(each, "incident")
                  ? Optional.of(new Pause.Incident(0, label, "", ""))
                  : Optional.empty()));
    }
    return all;
  }

  private static List<StateView.Token> tokens(Map<String, @Nullable Object> shown) {
    List<StateView.Token> all = new ArrayList<>();
    for (Map<String, @Nullable Object> each : Fields.objects(shown, "tokens")) {
      all.add(
          new StateView.Token(
              (int) Fields.whole(each, "token"),
              0,
              "",
              Fields.text(each, "element"),
              (int) Fields.whole(each, "scope"),
              Fields.text(each, "label"),
              Fields.text(each, "task"),
              StateView.Activity.valueOf(Fields.text(each, "activity")),
              Context.empty()));
    }
    return all;
  }

  /// A case that does not take an input answers with a conflict that contains its reply.
  private CaseReply act(String action, Map<String, ? extends @Nullable Object> body) {
    try {
      Map<String, @Nullable Object> taken = post(action, body);
      return reply(Fields.text(taken, "outcome"), Fields.whole(taken, "revision"));
    } catch (ServerProblem e) {
      if (e.get("outcome") instanceof String outcome && e.get("revision") instanceof Number at) {
        return reply(outcome, at.longValue());
      }
      throw e.refusal();
    }
  }

  private Map<String, @Nullable Object> post(
      String action, Map<String, ? extends @Nullable Object> body) {
    return server.post(ServerCases.path(caseId) + "/" + action, body);
  }

  static CaseReply reply(String outcome, long revision) {
    return new CaseReply(Reply.valueOf(outcome.toUpperCase(Locale.ROOT)), revision);
  }

  @Override
  public CaseReply signal(
      String place, Map<String, @Nullable Object> payload, SignalOptions options) {
    Map<String, @Nullable Object> body = JsonWriter.object("place", place, "payload", payload);
    options.messageId().ifPresent(each -> body.put("message", each));
    options.traceparent().ifPresent(each -> body.put("traceparent", each));
    return act("signal", body);
  }

  @Override
  public CaseReply completeTask(EffectId task, Map<String, @Nullable Object> result) {
    return act("complete", JsonWriter.object("task", task.toString(), "result", result));
  }

  @Override
  public CaseReply complete(String scope) {
    return act("complete", Map.of("scope", scope));
  }

  @Override
  public CaseReply failTask(EffectId task, String reason) {
    return act("fail", Map.of("task", task.toString(), "reason", reason));
  }

  @Override
  public CaseReply cancel(String scope, String reason) {
    return act("cancel", Map.of("scope", scope, "reason", reason));
  }

  @Override
  public CaseReply cancelTask(EffectId task) {
    return act("cancel", Map.of("task", task.toString()));
  }

  @Override
  public CaseReply retry() {
    return act("retry", Map.of());
  }

  /// Retries a task that is an incident.
  public CaseReply retryTask(EffectId task) {
    return act("retry", Map.of("task", task.toString()));
  }

  /// Adds an instance without an item to an open set.
  public CaseReply addInstance(String set) {
    return act("instances", Map.of("set", set));
  }

  /// Adds an instance to an open set.
  public CaseReply addInstance(String set, @Nullable Object item) {
    return act("instances", JsonWriter.object("set", set, "item", item));
  }

  /// Closes a set of instances.
  public CaseReply closeInstances(String set) {
    return act("instances", Map.of("set", set, "close", true));
  }

  @Override
  public CaseReply pause(String reason) {
    return act("pause", Map.of("reason", reason));
  }

  @Override
  public CaseReply resume() {
    return act("resume", Map.of());
  }

  @Override
  public CaseReply changeData(int token, Map<String, @Nullable Object> values, String reason) {
    return act("change", JsonWriter.object("token", token, "set", values, "reason", reason));
  }

  @Override
  public StartReply startAgain(String newId, @Nullable Long position) {
    Map<String, @Nullable Object> body = JsonWriter.object("id", newId);
    if (position != null) {
      body.put("position", position);
    }
    try {
      return new StartReply(
          StartReply.Kind.STARTED, Fields.whole(post("restart", body), "revision"));
    } catch (ServerProblem e) {
      if (e.status() == CONFLICT && String.valueOf(e.getMessage()).startsWith(TAKEN)) {
        return new StartReply(StartReply.Kind.EXISTING, 0);
      }
      throw e.refusal();
    }
  }

  @Override
  public boolean delete() {
    try {
      server.delete(ServerCases.path(caseId));
      return true;
    } catch (ServerProblem e) {
      if (e.status() == CONFLICT) {
        return false;
      }
      throw e.refusal();
    }
  }

  @Override
  public MigrationResult migrate(LoadedDocument target, Mapping mapping) {
    put(server, target);
    Map<String, @Nullable Object> body =
        JsonWriter.object("to", target.program().hash().toString(), "mapping", json(mapping));
    try {
      return new MigrationResult.Moved(Fields.whole(post("migrate", body), "revision"));
    } catch (ServerProblem e) {
      if (e.get("reasons") instanceof List<?> reasons && e.get("revision") instanceof Number at) {
        return new MigrationResult.Refused(
            reasons.stream().map(String::valueOf).toList(), at.longValue());
      }
      throw e.refusal();
    }
  }

  /// Registers a version of a workflow at a server, as an engine does before it migrates cases.
  public static void put(ServerClient server, LoadedDocument target) {
    String text = new String(target.bytes().toArray(), StandardCharsets.UTF_8);
    try {
      server.put("/v1/workflows/" + ServerClient.segment(target.workflow().name()), text);
    } catch (ServerProblem e) {
      throw e.refusal();
    }
  }

  /// Returns the body of a mapping.
  static Map<String, @Nullable Object> json(Mapping mapping) {
    return JsonWriter.object(
        "tasks", new LinkedHashMap<>(mapping.tasks()),
        "scopes", new LinkedHashMap<>(mapping.scopes()),
        "places", new LinkedHashMap<>(mapping.places()));
  }

  @Override
  public void close() {
    server.close();
  }
}

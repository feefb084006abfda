package dev.damask.routes;

import dev.damask.api.Confidential;
import dev.damask.api.Sources;
import dev.damask.api.Unstructured;
import dev.damask.caller.PendingTask;
import dev.damask.effect.EffectIntent;
import dev.damask.event.EffectRequest;
import dev.damask.event.StateView;
import dev.damask.event.Status;
import dev.damask.history.PastState;
import dev.damask.json.JsonWriter;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The state of a case as JSON: the same fields for the present, the past, forks and trials.
final class StateJson {
  private final Sources sources;
  private final String workflow;

  StateJson(Sources sources) {
    this.sources = sources;
    this.workflow = sources.workflow();
  }

  /// Returns the state at a position of the past, or of a fork.
  Map<String, @Nullable Object> of(PastState past) {
    Map<String, @Nullable Object> all =
        JsonWriter.object(
            "position", past.position().number(),
            "revision", past.position().revision(),
            "at", time(past.position().atMillis()));
    List<Map<String, @Nullable Object>> effects = new ArrayList<>();
    past.effects().forEach(each -> effects.add(effect(each)));
    fill(all, past.view(), effects, why(past));
    past.divergence()
        .ifPresent(each ->
            all.put(
                "divergence",
                JsonWriter.object(
                    "sentence", each.sentence(),
                    "revision", each.revision(),
                    "places", each.place())));
    return all;
  }

  /// What a case waits for names its parts; how it failed may contain any value.
  private Object why(PastState past) {
    String text = String.join("; ", past.waits());
    boolean isPlain = !past.view().status().isEnded() || past.view().status() == Status.COMPLETED;
    return isPlain ? text : new Unstructured(workflow, text);
  }

  /// Returns the present state.
  ///
  /// @param intents the committed plans of its effects
  /// @param why what the case waits for, or how it ended
  Map<String, @Nullable Object> of(
      StateView view, List<PendingTask> tasks, List<EffectIntent> intents, Object why) {
    Map<EffectId, EffectIntent> byId = new LinkedHashMap<>();
    intents.forEach(each -> byId.put(each.id(), each));
    List<Map<String, @Nullable Object>> effects = new ArrayList<>();
    tasks.forEach(each -> effects.add(effect(each, byId.get(each.id()))));
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    fill(all, view, effects, why);
    return all;
  }

  private void fill(
      Map<String, @Nullable Object> all,
      StateView view,
      List<Map<String, @Nullable Object>> effects,
      Object why) {
    all.put("status", view.status().name());
    all.put("why", why);
    List<Map<String, @Nullable Object>> tokens = new ArrayList<>();
    view.tokens().forEach(each -> tokens.add(token(each)));
    all.put("tokens", tokens);
    List<Map<String, @Nullable Object>> joins = new ArrayList<>();
    for (StateView.Join each : view.joins()) {
      joins.add(
          JsonWriter.object(
              "scope",
              (long) each.scope(),
              "element",
              each.place().isEmpty() ? null : each.place(),
              "line",
              each.place().isEmpty() ? null : sources.line(each.place()),
              "name",
              each.name(),
              "policy",
              each.policy().contains("need=All") ? "all" : each.required() + " needed",
              "completed",
              (long) each.completed(),
              "required",
              (long) each.required()));
    }
    all.put("joins", joins);
    Map<String, @Nullable Object> places = new LinkedHashMap<>();
    view.places().forEach((name, count) -> places.put(name, (long) count));
    all.put("places", places);
    List<Map<String, @Nullable Object>> timers = new ArrayList<>();
    for (StateView.Scope each : view.scopes()) {
      if (each.dueMillis().isPresent()) {
        timers.add(
            JsonWriter.object(
                "name",
                each.name().isEmpty() ? each.kind() : each.name(),
                "due",
                time(each.dueMillis().getAsLong())));
      }
    }
    all.put("timers", timers);
    all.put("effects", effects);
    all.put("scopes", view.scopes().stream().map(StateJson::scope).toList());
    all.put("undo", view.undo().stream().map(this::undo).toList());
    all.put("context", confidential(view.context()));
    all.put(
        "lateFailures",
        view.lateFailures().stream()
            .map(each -> new Unstructured(workflow, each.toString()))
            .toList());
  }

  private Map<String, @Nullable Object> undo(StateView.Undo undo) {
    return JsonWriter.object(
        "name", undo.task(),
        "label", undo.label(),
        "element", undo.place(),
        "line", sources.line(undo.place()),
        "scope", (long) undo.scope(),
        "begun", undo.isBegun());
  }

  private static Map<String, @Nullable Object> scope(StateView.Scope scope) {
    return JsonWriter.object(
        "id", (long) scope.id(),
        "parent", (long) scope.parent(),
        "kind", scope.kind(),
        "name", scope.name(),
        "progress", scope.progress().name());
  }

  private Map<String, @Nullable Object> token(StateView.Token token) {
    return JsonWriter.object(
        "token", (long) token.id(),
        "element", token.place(),
        "line", sources.line(token.place()),
        "activity", token.activity().name(),
        "task", token.task(),
        "label", token.label(),
        "scope", (long) token.scope(),
        "context", confidential(token.context()),
        "waitsFor", waitsFor(token));
  }

  private String waitsFor(StateView.Token token) {
    return switch (token.activity()) {
      case READY -> "";
      case EFFECT -> token.task();
      case AWAIT, QUEUED, HELD -> sources.waitsFor(token.place());
    };
  }

  private Map<String, @Nullable Object> effect(EffectRequest request) {
    return JsonWriter.object(
        "id", request.id().toString(),
        "token", (long) request.token().number(),
        "task", request.address().toString(),
        "name", request.task().name(),
        "element", sources.element(request.task().name()).orElse(null),
        "attempts", (long) request.attempt(),
        "incident", request.isParked(),
        "next",
            request.notBefore().isPresent() && !request.isParked()
                ? time(request.notBefore().getAsLong())
                : null);
  }

  private Map<String, @Nullable Object> effect(PendingTask task, @Nullable EffectIntent intent) {
    boolean isSent = intent != null && intent.sent() && intent.sentMillis() > 0;
    boolean isDue = intent != null && intent.dueMillis() != EffectIntent.NEVER;
    return JsonWriter.object(
        "id", task.id().toString(),
        "token", (long) task.token(),
        "task", task.address().toString(),
        "name", task.task(),
        "type", task.type(),
        "element", sources.element(task.task()).orElse(null),
        "attempts", (long) task.attempt(),
        "key", new Unstructured(workflow, task.key()),
        "started", intent != null && isSent ? time(intent.sentMillis()) : null,
        "deadline", intent != null && isDue ? time(intent.dueMillis()) : null,
        "held", task.held().name(),
        "incident", task.isIncident(),
        "next", task.notBefore().isPresent() ? time(task.notBefore().getAsLong()) : null,
        "payload", confidential(task.with()));
  }

  private Confidential confidential(Context context) {
    return Confidential.of(workflow, context);
  }

  /// Returns a time in ISO-8601 notation.
  static String time(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }
}

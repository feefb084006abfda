package dev.damask.routes;

import dev.damask.api.Call;
import dev.damask.api.Problem;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.TokenId;
import dev.damask.history.PastState;
import dev.damask.json.Json;
import dev.damask.task.TaskAddress;
import dev.damask.value.Context;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The inputs of a fork as a request contains them.
final class ForkInputs {
  private ForkInputs() {}

  /// Returns the input that an object describes.
  ///
  /// @param now the state that it is applied to
  static Input of(Json.Fields fields, PastState now) {
    String kind = text(fields, "kind", "");
    return switch (kind) {
      case "signal" ->
          new Input.Signal(need(fields, "place"), Context.from(data(fields, "payload")));
      case "complete" ->
          new Input.TaskDone(token(fields, now), Context.from(data(fields, "result")));
      case "fail" -> new Input.TaskFailed(token(fields, now), text(fields, "reason", "failed"));
      case "retry" -> new Input.TaskRetried(token(fields, now));
      case "cancel" ->
          fields.get("task") == null
              ? new Input.Kill(text(fields, "scope", "case"), false, text(fields, "reason", ""))
              : new Input.CancelTask(token(fields, now));
      case "time" -> new Input.Advance(millis(need(fields, "at")));
      default ->
          throw Problem.bad(
              "inputs: kind must be signal, complete, fail, cancel, retry or time, got '%s'"
                  .formatted(Call.shortened(kind)));
    };
  }

  private static long millis(String text) {
    try {
      return Instant.parse(text).toEpochMilli();
    } catch (DateTimeException | ArithmeticException e) {
      throw Problem.bad(
          "inputs: at must be a time such as 2026-11-15T10:00:00Z, got '%s'"
              .formatted(Call.shortened(text)));
    }
  }

  private static TokenId token(Json.Fields fields, PastState now) {
    String task = need(fields, "task");
    return TaskAddress.parse(task)
        .flatMap(
            address -> address.among(now.effects(), EffectRequest::address).stream().findFirst())
        .map(EffectRequest::token)
        .orElseThrow(() ->
            new Problem(
                Problem.Kind.CONFLICT,
                "inputs: no task '%s' waits at this position".formatted(Call.shortened(task))));
  }

  private static String need(Json.Fields fields, String name) {
    String text = text(fields, name, "");
    if (text.isEmpty()) {
      throw Problem.bad("inputs: " + name + " is missing");
    }
    return text;
  }

  private static String text(Json.Fields fields, String name, String missing) {
    return fields.get(name) instanceof Json.Text(_, var value) ? value : missing;
  }

  private static Map<String, @Nullable Object> data(Json.Fields fields, String name) {
    return fields.get(name) instanceof Json.Fields object
        ? object.plainEntries(Json.Numeral::number)
        : Map.of();
  }
}

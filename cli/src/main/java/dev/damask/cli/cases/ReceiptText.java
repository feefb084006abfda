package dev.damask.cli.cases;

import dev.damask.cli.command.CaseWords;
import dev.damask.effect.Receipt;
import dev.damask.json.JsonWriter;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Receipts as people and programs read them.
final class ReceiptText {
  private ReceiptText() {}

  /// One line.
  static String shown(Receipt receipt) {
    Receipt.Body body = receipt.body();
    long millis = body.durationMillis();
    return "%4d  %s  %s, effect %s, attempt %d%s: %s"
        .formatted(
            receipt.number(),
            CaseWords.time(body.atMillis()),
            body.task(),
            body.type(),
            body.attempt(),
            millis == Receipt.Body.UNKNOWN ? "" : ", " + millis + " ms",
            result(body.result()));
  }

  static Map<String, @Nullable Object> json(Receipt receipt) {
    Receipt.Body body = receipt.body();
    long millis = body.durationMillis();
    return JsonWriter.object(
        "number", receipt.number(),
        "effect", body.id().toString(),
        "task", body.task(),
        "type", body.type(),
        "key", body.key(),
        "attempt", body.attempt(),
        "at", CaseWords.time(body.atMillis()),
        "result", result(body.result()),
        "spec", body.spec().length() == 0 ? null : hex(body),
        "millis", millis == Receipt.Body.UNKNOWN ? null : millis);
  }

  private static String hex(Receipt.Body body) {
    return HexFormat.of().formatHex(body.spec().toArray());
  }

  private static String result(Receipt.Result result) {
    return switch (result) {
      case Receipt.Result.Ok(var context) -> "ok " + JsonWriter.line(context.toMap());
      case Receipt.Result.Failed(var reason, var detail) ->
          "failed, " + reason + (detail.isEmpty() ? "" : ": " + detail);
      case Receipt.Result.Cancelled() -> "withdrawn";
      case Receipt.Result.Late(var context) -> "late " + JsonWriter.line(context.toMap());
      case Receipt.Result.Duplicate(var origin, var context) ->
          "same as " + origin + " " + JsonWriter.line(context.toMap());
      case Receipt.Result.Indeterminate() -> "outcome unknown";
      case Receipt.Result.Refused(var reason) -> "refused, " + reason;
      case Receipt.Result.Approved(var by) -> "approved by " + by;
    };
  }
}

package dev.damask.cli.cases;

import dev.damask.cli.command.Fields;
import dev.damask.json.JsonWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Receipts as people and programs read them, from [dev.damask.api.CaseSummary#receipt].
final class ReceiptText {
  private ReceiptText() {}

  /// Returns one line.
  static String shown(Map<String, @Nullable Object> receipt) {
    Object millis = receipt.get("millis");
    return "%4d  %s  %s, effect %s, attempt %s%s: %s"
        .formatted(
            Fields.whole(receipt, "number"),
            receipt.get("at"),
            receipt.get("task"),
            receipt.get("type"),
            receipt.get("attempt"),
            millis == null ? "" : ", " + millis + " ms",
            result(receipt));
  }

  /// Returns the receipt with its result as a string.
  static Map<String, @Nullable Object> json(Map<String, @Nullable Object> receipt) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>(receipt);
    all.put("result", result(receipt));
    return all;
  }

  private static String result(Map<String, @Nullable Object> receipt) {
    Map<String, @Nullable Object> result = Fields.object(receipt, "result");
    String data = JsonWriter.line(result.get("data"));
    String detail = Fields.text(result, "detail");
    String kind = Fields.text(result, "kind");
    return switch (kind) {
      case "ok", "late" -> kind + " " + data;
      case "failed" -> "failed, " + result.get("reason") + (detail.isEmpty() ? "" : ": " + detail);
      case "duplicate" -> "same as " + result.get("of") + " " + data;
      case "unknown" -> "outcome unknown";
      case "refused" -> "refused, " + result.get("reason");
      case "approved" -> "approved by " + result.get("by");
      default -> kind;
    };
  }
}

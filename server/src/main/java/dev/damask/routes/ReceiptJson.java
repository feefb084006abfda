package dev.damask.routes;

import dev.damask.api.Confidential;
import dev.damask.api.Sources;
import dev.damask.api.Unstructured;
import dev.damask.effect.Receipt;
import dev.damask.json.JsonWriter;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Receipts as JSON.
///
/// @param workflow of the case
record ReceiptJson(Sources sources, String workflow) {
  List<Map<String, @Nullable Object>> all(List<Receipt> receipts) {
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    String previous = null;
    for (Receipt each : receipts) {
      String hash = HexFormat.of().formatHex(each.hash().toArray());
      all.add(one(each, hash, previous));
      previous = hash;
    }
    return all;
  }

  private Map<String, @Nullable Object> one(
      Receipt receipt, String hash, @Nullable String previous) {
    Receipt.Body body = receipt.body();
    long millis = body.durationMillis();
    boolean isTimed = millis != Receipt.Body.UNKNOWN;
    Map<String, @Nullable Object> all =
        JsonWriter.object(
            "number",
            receipt.number(),
            "effect",
            body.id().toString(),
            "task",
            body.task(),
            "name",
            body.task(),
            "type",
            body.type(),
            "element",
            sources.element(body.task()).orElse(null),
            "attempt",
            (long) body.attempt(),
            "key",
            new Unstructured(workflow, body.key()),
            "started",
            isTimed ? StateJson.time(body.atMillis() - millis) : null,
            "ended",
            StateJson.time(body.atMillis()),
            "millis",
            isTimed ? millis : null,
            "spec",
            body.spec().length() == 0 ? null : HexFormat.of().formatHex(body.spec().toArray()),
            "hash",
            hash,
            "previous",
            previous);
    switch (body.result()) {
      case Receipt.Result.Ok(var result) -> put(all, "ok", result);
      case Receipt.Result.Failed(var reason, var detail) -> {
        all.put("outcome", "failed");
        all.put("reason", reason);
        all.put("detail", new Unstructured(workflow, detail));
      }
      case Receipt.Result.Cancelled() -> all.put("outcome", "withdrawn");
      case Receipt.Result.Late(var result) -> put(all, "late", result);
      case Receipt.Result.Duplicate(_, var result) -> put(all, "duplicate", result);
      case Receipt.Result.Indeterminate() -> all.put("outcome", "unknown");
      case Receipt.Result.Approved(var by) -> {
        all.put("outcome", "approved");
        all.put("by", by);
      }
      case Receipt.Result.Refused(var reason) -> {
        all.put("outcome", "refused");
        all.put("reason", reason);
      }
    }
    return all;
  }

  private void put(Map<String, @Nullable Object> all, String outcome, Context result) {
    all.put("outcome", outcome);
    all.put("result", Confidential.of(workflow, result));
  }
}

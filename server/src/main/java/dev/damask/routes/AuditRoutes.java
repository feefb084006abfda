package dev.damask.routes;

import static dev.damask.api.BodyShape.may;
import static dev.damask.api.BodyShape.need;

import dev.damask.api.ApiReply;
import dev.damask.api.BodyShape;
import dev.damask.api.Call;
import dev.damask.api.Cursor;
import dev.damask.api.Desk;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.api.RouteReach;
import dev.damask.json.JsonWriter;
import dev.damask.ops.AuditLog;
import dev.damask.store.AuditEntry;
import dev.damask.store.AuditRecord;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The route that lists the audit log.
final class AuditRoutes {
  private final Desk desk;

  AuditRoutes(Desk desk) {
    this.desk = desk;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/v1/audit", "Lists who did what, the oldest entry first.")
            .access(RouteAccess.ADMIN)
            .reach(RouteReach.WHOLE)
            .query("cursor", "`next` of the page before.")
            .query("limit", "How many, from 1 to 1000; 100 without it.")
            .example("/v1/audit", "")
            .to(this::list),
        Route.post("/v1/audit/trim", "Removes the oldest entries that are older than a time.")
            .access(RouteAccess.ADMIN)
            .reach(RouteReach.WHOLE)
            .body(
                need("before", BodyShape.TEXT, "The time, such as 2026-01-01T00:00:00Z."),
                may("limit", BodyShape.WHOLE, "How many at most, from 1 to 1000; 1000 without it."))
            .repeatable()
            .example("/v1/audit/trim", "{\"before\":\"2020-01-01T00:00:00Z\"}")
            .to(this::trim));
  }

  private ApiReply trim(Call call) {
    Instant before;
    try {
      before = Instant.parse(call.need("before"));
      var _ = before.toEpochMilli(); // the log counts milliseconds
    } catch (DateTimeParseException | ArithmeticException e) {
      throw Problem.bad("before must be a time such as 2026-01-01T00:00:00Z");
    }
    int limit = Math.clamp(call.whole("limit").orElse(AuditLog.LIMIT_MAX), 0, Integer.MAX_VALUE);
    int removed = desk.engine().audit().removeBefore(before, limit);
    return ApiReply.ok(JsonWriter.object("removed", (long) removed));
  }

  private ApiReply list(Call call) {
    int limit = (int) call.ask("limit", 100, 1, 1_000);
    String after = call.ask("cursor").map(each -> Cursor.parts(each, 1).getFirst()).orElse("");
    List<AuditRecord> found = desk.engine().audit().list(after, limit);
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    for (AuditRecord each : found) {
      AuditEntry entry = each.entry();
      items.add(
          JsonWriter.object(
              "at", StateJson.time(entry.atMillis()),
              "who", entry.actor(),
              "what", entry.action(),
              "case", entry.caseId(),
              "subject", entry.subject(),
              "outcome", entry.outcome(),
              "reason", entry.reason()));
    }
    String next = found.size() < limit ? null : Cursor.of(found.getLast().cursor());
    return ApiReply.ok(JsonWriter.object("items", items, "next", next));
  }
}

package dev.damask.cli.cases;

import dev.damask.api.Cursor;
import dev.damask.api.Problem;
import dev.damask.cli.command.Fields;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.ServerClient;
import dev.damask.cli.command.ServerProblem;
import dev.damask.history.HistoryPosition;
import dev.damask.json.JsonWriter;
import dev.damask.store.CaseQuery;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The cases of a server.
final class ServerBook implements CaseBook {
  private static final String CASES = "/v1/cases";

  private final ServerClient server;

  ServerBook(ServerClient server, @Nullable Path document) {
    this.server = server;
    ServerCases.requireNone(server, document);
  }

  @Override
  public Page cases(CaseQuery query, String where) {
    Map<String, String> asked = new LinkedHashMap<>();
    asked.put("limit", String.valueOf(query.limit()));
    asked.put("counts", "false");
    asked.put("notes", "true");
    put(asked, "where", where);
    put(asked, "workflow", query.workflow());
    put(asked, "status", query.status() == null ? null : query.status().name());
    put(asked, "since", time(query.fromMillis()));
    put(asked, "until", time(query.untilMillis()));
    put(asked, "cursor", query.after().isEmpty() ? null : cursor(query));
    Map<String, @Nullable Object> found = server.get(CASES, asked);
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    for (Map<String, @Nullable Object> each : Fields.objects(found, "items")) {
      items.add(json(each));
    }
    return new Page(
        items,
        found.get("next") == null ? "" : shown(query, Fields.text(found, "next")),
        Fields.texts(found, "missingPrograms"),
        Fields.texts(found, "notIndexed"));
  }

  private static void put(Map<String, String> asked, String name, @Nullable String value) {
    if (value != null && !value.isEmpty()) {
      asked.put(name, value);
    }
  }

  private static @Nullable String time(long millis) {
    boolean isOpen = millis == Long.MIN_VALUE || millis == Long.MAX_VALUE;
    return isOpen ? null : Instant.ofEpochMilli(millis).toString();
  }

  /// A server's cursor is that of its store, with the workflow for tokens that are limited to some.
  private static String shown(CaseQuery query, String cursor) {
    List<String> parts = Cursor.parts(cursor, 2);
    boolean isPlain = parts.getFirst().equals(query.workflow() == null ? "" : query.workflow());
    return isPlain ? parts.getLast() : cursor;
  }

  private static @Nullable String cursor(CaseQuery query) {
    try {
      Cursor.parts(query.after(), 2);
      return query.after();
    } catch (Problem e) {
      return Cursor.of(query.workflow() == null ? "" : query.workflow(), query.after());
    }
  }

  private static Map<String, @Nullable Object> json(Map<String, @Nullable Object> item) {
    String status = Fields.text(item, "status").toLowerCase(Locale.ROOT);
    return JsonWriter.object(
        "case", item.get("id"),
        "workflow", item.get("workflow"),
        "status", status,
        "problem", status.equals("corrupt") ? item.get("evidence") : null,
        "started", item.get("started"),
        "due", item.get("due"),
        "revision", item.get("revision"),
        "attributes", item.get("attributes"),
        "waitingFor",
            Fields.objects(item, "waitingFor").stream()
                .map(each -> Fields.text(each, "name"))
                .toList());
  }

  private <T> T known(String caseId, Supplier<T> action) {
    return ServerCases.known(server, caseId, action);
  }

  private static Map<String, String> at(@Nullable Long revision) {
    return revision == null ? Map.of() : Map.of("revision", revision.toString());
  }

  @Override
  public Map<String, @Nullable Object> summary(String caseId, int tail, @Nullable Long revision) {
    Map<String, String> asked = new LinkedHashMap<>(at(revision));
    asked.put("tail", String.valueOf(tail));
    return known(caseId, () -> server.get(ServerCases.path(caseId) + "/summary", asked));
  }

  @Override
  public String diagram(String caseId, @Nullable Long revision) {
    return known(caseId, () -> server.text(ServerCases.path(caseId) + "/drawing", at(revision)));
  }

  @Override
  public List<HistoryPosition> positions(String caseId) {
    List<HistoryPosition> all = new ArrayList<>();
    String from = "1";
    while (from != null) {
      Map<String, String> asked = Map.of("from", from, "limit", "10000");
      Map<String, @Nullable Object> page =
          known(caseId, () -> server.get(ServerCases.path(caseId) + "/positions", asked));
      for (Map<String, @Nullable Object> each : Fields.objects(page, "items")) {
        all.add(
            new HistoryPosition(
                Fields.whole(each, "position"),
                Fields.whole(each, "revision"),
                Fields.flag(each, "committed"),
                Instant.parse(Fields.text(each, "at")).toEpochMilli(),
                HistoryPosition.Cause.valueOf(Fields.text(each, "cause").toUpperCase(Locale.ROOT)),
                Fields.text(each, "subject")));
      }
      from = page.get("next") == null ? null : Fields.text(page, "next");
    }
    return all;
  }

  @Override
  public String scenario(String caseId, Set<String> redacted) {
    Map<String, String> asked =
        redacted.isEmpty() ? Map.of() : Map.of("redact", String.join(",", redacted));
    return known(caseId, () -> server.text(ServerCases.path(caseId) + "/scenario", asked));
  }

  @Override
  public byte[] recording(String caseId) {
    return known(caseId, () -> server.bytes(ServerCases.path(caseId) + "/recording", Map.of()));
  }

  @Override
  public List<Map<String, @Nullable Object>> receipts(String caseId) {
    return Fields.objects(summary(caseId, 0, null), "receipts");
  }

  @Override
  public Optional<Keyed> receiptByKey(String type, String key) {
    try {
      Map<String, @Nullable Object> found =
          server.get("/v1/receipts", Map.of("type", type, "key", key));
      return Optional.of(new Keyed(Fields.text(found, "case"), Fields.object(found, "receipt")));
    } catch (ServerProblem e) {
      if (e.status() == 404) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public List<String> verify() {
    Map<String, @Nullable Object> done =
        ServerCases.awaitJob(server, server.post("/v1/jobs/verify", Map.of()), _ -> {});
    return Fields.texts(done, "problems");
  }

  @Override
  public void backup(Path target, boolean links) {
    if (!server.isHeld()) {
      String name = target.toString();
      if (links || target.getNameCount() != 1 || target.isAbsolute()) {
        throw new Refusal(
            "backup: with --server, TARGET is a name in the server's backup directory, and --link"
                + " cannot be used");
      }
      ServerCases.awaitJob(server, server.post("/v1/jobs/backup", Map.of("name", name)), _ -> {});
      return;
    }
    Map<String, Object> asked =
        Map.of("name", target.toAbsolutePath().normalize().toString(), "link", links);
    ServerCases.awaitJob(server, server.post("/v1/jobs/backup", asked), _ -> {});
  }

  @Override
  public void close() {
    server.close();
  }
}

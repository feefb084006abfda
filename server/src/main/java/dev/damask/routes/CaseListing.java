package dev.damask.routes;

import dev.damask.api.ApiReply;
import dev.damask.api.Call;
import dev.damask.api.Caller;
import dev.damask.api.ConfidentialAttribute;
import dev.damask.api.Cursor;
import dev.damask.api.Desk;
import dev.damask.api.ListNotes;
import dev.damask.api.Problem;
import dev.damask.api.Sources;
import dev.damask.api.Unstructured;
import dev.damask.attribute.CaseFacts;
import dev.damask.json.JsonWriter;
import dev.damask.ops.IncidentQuery;
import dev.damask.program.ProgramHash;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Lists and counts cases. For a token that is limited to some workflows it asks for these alone,
/// one after the other, so that neither pages nor cursors depend on other cases.
final class CaseListing {
  /// How far cases are counted.
  static final int COUNTED_MAX = 1_000;

  private static final int PAGE = 200;

  private final Desk desk;

  CaseListing(Desk desk) {
    this.desk = desk;
  }

  ApiReply list(Call call) {
    int limit = (int) call.ask("limit", 50, 1, CaseQuery.LIMIT_MAX);
    CaseQuery query = query(call);
    requireShown(call.caller(), query);
    List<@Nullable String> workflows = workflows(call.caller(), query);
    Optional<String> text = call.ask("text");
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    List<CaseRecord> listed;
    TextSearch search = null;
    if (text.isPresent()) {
      search = new TextSearch(desk, call.caller(), query, text.get());
      TextSearch.Found found = search.page(call.ask("cursor").orElse(""), limit);
      listed = found.cases();
      all.put("next", found.next());
      all.put("more", found.next() != null);
    } else {
      listed = page(all, query, workflows, call.ask("cursor").orElse(""), limit);
    }
    all.put("items", listed.stream().map(this::row).toList());
    if (call.ask("notes").orElse("false").equals("true")) {
      all.put("missingPrograms", ListNotes.missing(listed, this::isKnown));
      all.put("notIndexed", call.caller().seesAll() ? desk.engine().notIndexed(query) : List.of());
    }
    if (!call.ask("counts").orElse("true").equals("false")) {
      all.put("counts", search == null ? counts(query, workflows) : counts(search, query));
    }
    return ApiReply.ok(all);
  }

  /// Passes the cases that match a request to an action, page by page, until it returns false.
  void each(Caller caller, CaseQuery query, Predicate<CaseRecord> action) {
    requireShown(caller, query);
    for (String workflow : workflows(caller, query)) {
      CaseQuery own = workflow == null ? query : query.withWorkflow(workflow);
      String next = "";
      do {
        CasePage page = desk.engine().list(own.withPage(next, PAGE));
        for (CaseRecord each : page.cases()) {
          if (!action.test(each)) {
            return;
          }
        }
        next = page.next();
      } while (!next.isEmpty());
    }
  }

  /// Which cases match a condition, and in which order they come, shows the values of the
  /// attribute.
  private void requireShown(Caller caller, CaseQuery query) {
    for (CaseQuery.Condition each : query.conditions()) {
      for (String workflow : desk.catalog().names(caller)) {
        boolean isAsked = query.workflow() == null || query.workflow().equals(workflow);
        if (isAsked
            && !each.name().equals(CaseFacts.WAITING_FOR)
            && desk.redaction().hidesAttribute(caller, workflow, each.name())) {
          throw new Problem(
              Problem.Kind.FORBIDDEN,
              "where: workflow %s redacts the attribute '%s'; name another workflow or attribute"
                  .formatted(workflow, each.name()));
        }
      }
    }
  }

  private boolean isKnown(CaseRecord record) {
    return desk.sources(record).definition() != null;
  }

  private List<CaseRecord> page(
      Map<String, @Nullable Object> all,
      CaseQuery query,
      List<@Nullable String> workflows,
      String cursor,
      int limit) {
    int index = 0;
    String after = "";
    if (!cursor.isEmpty()) {
      List<String> parts = Cursor.parts(cursor, 2);
      index = workflows.indexOf(parts.getFirst().isEmpty() ? null : parts.getFirst());
      after = parts.getLast();
      if (index < 0) {
        throw Problem.bad("cursor: not one of this list; start without it");
      }
    }
    List<CaseRecord> items = new ArrayList<>();
    String next = null;
    for (; index < workflows.size() && next == null; index++) {
      String workflow = workflows.get(index);
      CaseQuery own = workflow == null ? query : query.withWorkflow(workflow);
      if (items.size() == limit) {
        next = Cursor.of(workflow == null ? "" : workflow, "");
        break;
      }
      CasePage page = desk.engine().list(own.withPage(after, limit - items.size()));
      items.addAll(page.cases());
      after = "";
      if (!page.next().isEmpty()) {
        next = Cursor.of(workflow == null ? "" : workflow, page.next());
      }
    }
    all.put("next", next);
    return items;
  }

  /// The workflows to ask for; one null for all of them.
  private List<@Nullable String> workflows(Caller caller, CaseQuery query) {
    List<@Nullable String> all = new ArrayList<>();
    if (query.workflow() != null) {
      if (caller.sees(query.workflow())) {
        all.add(query.workflow());
      }
    } else if (caller.seesAll()) {
      all.add(null);
    } else {
      all.addAll(desk.catalog().names(caller));
    }
    return all;
  }

  static CaseQuery query(Call call) {
    CaseQuery query = CaseQuery.ALL;
    if (call.ask("where").isPresent()) {
      try {
        query = CaseQuery.parse(call.ask("where").get());
      } catch (IllegalArgumentException e) {
        throw Problem.bad("where: " + e.getMessage());
      }
    }
    if (call.ask("workflow").isPresent()) {
      query = query.withWorkflow(call.ask("workflow").get());
    }
    if (call.ask("program").isPresent()) {
      query = query.withProgram(program(call.ask("program").get()));
    }
    if (call.ask("status").isPresent()) {
      query = query.withStatus(status(call.ask("status").get()));
    }
    long from = call.ask("since").map(each -> millis("since", each)).orElse(Long.MIN_VALUE);
    long until = call.ask("until").map(each -> millis("until", each)).orElse(Long.MAX_VALUE);
    return query.withStarted(
        Math.max(from, query.fromMillis()), Math.min(until, query.untilMillis()));
  }

  private static ProgramHash program(String text) {
    try {
      return ProgramHash.parse(text);
    } catch (IllegalArgumentException e) {
      throw Problem.bad(
          "program must be the hash of a version, got '%s'".formatted(Call.shortened(text)));
    }
  }

  private static CaseStatus status(String text) {
    return Arrays.stream(CaseStatus.values())
        .filter(each -> each.name().equals(text.toUpperCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(() ->
            Problem.bad(
                "status must be one of %s, got '%s'"
                    .formatted(Arrays.toString(CaseStatus.values()), Call.shortened(text))));
  }

  private static long millis(String name, String text) {
    try {
      return Instant.parse(text).toEpochMilli();
    } catch (DateTimeException | ArithmeticException e) {
      throw Problem.bad(
          "%s must be a time such as 2026-11-15T10:00:00Z, got '%s'"
              .formatted(name, Call.shortened(text)));
    }
  }

  private Map<String, @Nullable Object> counts(CaseQuery query, List<@Nullable String> workflows) {
    Map<String, @Nullable Object> counts = new LinkedHashMap<>();
    for (CaseStatus status : CaseStatus.values()) {
      if (query.status() == null ? !isCounted(status) : query.status() != status) {
        continue;
      }
      long count = 0;
      for (String each : workflows) {
        CaseQuery own = each == null ? query : query.withWorkflow(each);
        count += count(desk, own.withStatus(status));
      }
      counts.put(status.name(), shown(count));
    }
    return counts;
  }

  private static Map<String, @Nullable Object> counts(TextSearch search, CaseQuery query) {
    TextSearch.Counts found = search.counts();
    Map<String, @Nullable Object> counts = new LinkedHashMap<>();
    for (CaseStatus status : CaseStatus.values()) {
      if (query.status() == null ? isCounted(status) : query.status() == status) {
        long count = found.byStatus().getOrDefault(status, 0);
        counts.put(
            status.name(), found.isWhole() || count > COUNTED_MAX ? shown(count) : count + "+");
      }
    }
    return counts;
  }

  /// Returns how many cases match, one more than [#COUNTED_MAX] if there are more.
  static long count(Desk desk, CaseQuery query) {
    CasePage page = desk.engine().list(query.withPage("", COUNTED_MAX));
    return (long) page.cases().size() + (page.next().isEmpty() ? 0 : 1);
  }

  /// Whether cases of a status are counted without being asked for. That a case is corrupt is known
  /// only when its record is read, so counting these reads every case.
  static boolean isCounted(CaseStatus status) {
    return status != CaseStatus.CORRUPT;
  }

  /// Returns a count as answers contain it.
  static Object shown(long count) {
    return count > COUNTED_MAX ? COUNTED_MAX + "+" : (Object) count;
  }

  /// Returns the head of a case with its oldest incident. Only a case that waits can have one.
  Map<String, @Nullable Object> row(CaseRecord record) {
    Map<String, @Nullable Object> head = head(record);
    if (record.status() == CaseStatus.WAITING && !record.facts().waits().isEmpty()) {
      IncidentQuery own = IncidentQuery.ALL.withCase(record.caseId());
      desk.engine().incidents().list(own).stream()
          .findFirst()
          .ifPresent(each ->
              head.put(
                  "incident",
                  JsonWriter.object(
                      "task", each.address(),
                      "reason", each.reason(),
                      "detail", new Unstructured(record.workflow(), each.detail()),
                      "since", each.since().toString())));
    }
    return head;
  }

  /// Returns the head of a case.
  Map<String, @Nullable Object> head(CaseRecord record) {
    boolean isCorrupt = record.status() == CaseStatus.CORRUPT;
    Sources sources = isCorrupt ? null : desk.sources(record);
    List<Map<String, @Nullable Object>> waits = new ArrayList<>();
    for (String each : record.facts().waits()) {
      String element = sources == null ? null : sources.element(each).orElse(null);
      waits.add(
          JsonWriter.object(
              "name",
              each,
              "kind",
              sources == null ? null : sources.kind(each),
              "element",
              element,
              "line",
              sources == null || element == null ? null : sources.line(element),
              "since",
              StateJson.time(record.changedMillis())));
    }
    Map<String, @Nullable Object> attributes = new LinkedHashMap<>();
    record
        .facts()
        .attributes()
        .forEach((name, value) ->
            attributes.put(
                name, new ConfidentialAttribute(record.workflow(), name, value.plain())));
    Map<String, @Nullable Object> head =
        JsonWriter.object(
            "id", record.caseId(),
            "workflow", record.workflow(),
            "program", isCorrupt ? null : record.program().toString(),
            "version", sources == null ? "" : sources.version(),
            "status", record.status().name(),
            "revision", record.revision(),
            "started", StateJson.time(record.startedMillis()),
            "changed", StateJson.time(record.changedMillis()),
            "due",
                record.dueMillis() == CaseRecord.NEVER ? null : StateJson.time(record.dueMillis()),
            "waitingFor", waits,
            "attributes", attributes);
    if (!record.evidence().isEmpty()) {
      String first = record.evidence().lines().findFirst().orElse("");
      head.put("evidence", new Unstructured(record.workflow(), first));
    }
    return head;
  }
}

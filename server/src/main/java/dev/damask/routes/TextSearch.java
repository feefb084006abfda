package dev.damask.routes;

import dev.damask.api.Caller;
import dev.damask.api.Catalog;
import dev.damask.api.Desk;
import dev.damask.attribute.Match;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.term.Attribute;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/// Finds cases by the beginning of their id or of one of their attributes.
final class TextSearch {
  /// How many ids with the prefix are read at most for one answer.
  private static final int READ_MAX = 2_000;

  private final Desk desk;

  TextSearch(Desk desk) {
    this.desk = desk;
  }

  /// @param hasMore whether there may be more cases than were returned
  record Found(List<CaseRecord> cases, boolean hasMore) {}

  Found find(Caller caller, CaseQuery query, String text, int limit) {
    Map<String, CaseRecord> found = new LinkedHashMap<>();
    List<String> ids = desk.engine().ids(text, READ_MAX);
    for (String each : ids) {
      CaseRecord record = found.size() > limit ? null : desk.find(caller, each).orElse(null);
      if (record != null && query.filter().test(record)) {
        found.put(each, record);
      }
    }
    for (String workflow : desk.catalog().names(caller)) {
      if (query.workflow() == null || query.workflow().equals(workflow)) {
        byAttribute(caller, query.withWorkflow(workflow), text, limit, found);
      }
    }
    boolean hasMore = found.size() > limit || ids.size() == READ_MAX;
    return new Found(
        new ArrayList<>(found.values()).subList(0, Math.min(limit, found.size())), hasMore);
  }

  private void byAttribute(
      Caller caller, CaseQuery query, String text, int limit, Map<String, CaseRecord> found) {
    String workflow = String.valueOf(query.workflow());
    TreeSet<String> names = new TreeSet<>();
    for (Catalog.Version each : desk.catalog().versions(workflow)) {
      WorkflowDefinition definition = desk.catalog().sources(workflow, each.program()).definition();
      if (definition != null) {
        definition.attributes().stream().map(Attribute::name).forEach(names::add);
      }
    }
    for (String name : names) {
      if (found.size() > limit) {
        return;
      }
      if (!desk.redaction().hidesAttribute(caller, workflow, name)) {
        desk.engine()
            .list(query.and(name, Match.startsWith(text)).withPage("", limit + 1))
            .cases()
            .forEach(each -> found.put(each.caseId(), each));
      }
    }
  }
}

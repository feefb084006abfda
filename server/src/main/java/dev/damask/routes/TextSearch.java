package dev.damask.routes;

import dev.damask.api.Caller;
import dev.damask.api.Catalog;
import dev.damask.api.Cursor;
import dev.damask.api.Desk;
import dev.damask.api.Problem;
import dev.damask.attribute.AttributeValue;
import dev.damask.attribute.Match;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.term.Attribute;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Finds cases by the beginning of their id or of one of their attributes: first by id, in the
/// order of ids, then by each attribute of each workflow, in the order of names and values. A case
/// is found once.
final class TextSearch {
  /// How many cases are read at most for one page, and for the counts.
  private static final int READ_MAX = 2_000;

  private static final int PAGE = 200;

  /// How many cases are read at a time to find out whether there is another one.
  private static final int PROBED = 20;

  private final Desk desk;
  private final Caller caller;
  private final CaseQuery query;
  private final String text;
  private final List<Part> parts;
  private int read; // how many cases or ids were read

  /// @param query the other conditions
  TextSearch(Desk desk, Caller caller, CaseQuery query, String text) {
    this.desk = desk;
    this.caller = caller;
    this.query = query;
    this.text = text;
    this.parts = parts();
  }

  /// What is searched: ids if both names are empty, else an attribute of a workflow.
  private record Part(String workflow, String attribute) {
    boolean isOfIds() {
      return attribute.isEmpty();
    }
  }

  /// A place in the search.
  ///
  /// @param part the number of the part
  /// @param after the last id or the cursor in the part; empty for its beginning
  private record Place(int part, String after) {}

  /// @param next the cursor of the next page; null if there is none. There may be a next page
  ///   although this one is not full
  record Found(List<CaseRecord> cases, @Nullable String next) {}

  private List<Part> parts() {
    List<Part> all = new ArrayList<>(List.of(new Part("", "")));
    for (String workflow : desk.catalog().names(caller)) {
      if (query.workflow() == null || query.workflow().equals(workflow)) {
        for (String name : attributes(workflow)) {
          if (!desk.redaction().hidesAttribute(caller, workflow, name)) {
            all.add(new Part(workflow, name));
          }
        }
      }
    }
    return all;
  }

  private TreeSet<String> attributes(String workflow) {
    TreeSet<String> names = new TreeSet<>();
    for (Catalog.Version each : desk.catalog().versions(workflow)) {
      WorkflowDefinition definition = desk.catalog().sources(workflow, each.program()).definition();
      if (definition != null) {
        definition.attributes().stream().map(Attribute::name).forEach(names::add);
      }
    }
    return names;
  }

  /// Returns one page. It can be shorter than its limit although others follow.
  Found page(String cursor, int limit) {
    List<CaseRecord> found = new ArrayList<>();
    Place at = cursor.isEmpty() ? new Place(0, "") : place(cursor);
    while (at != null && found.size() < limit && read < READ_MAX) {
      at = read(at, Math.min(PAGE, limit - found.size()), found::add);
    }
    return new Found(found, at == null || isOver(at) ? null : shown(at));
  }

  /// Whether nothing is found from a place on, as far as is read.
  private boolean isOver(Place from) {
    List<CaseRecord> rest = new ArrayList<>();
    Place at = from;
    while (at != null && rest.isEmpty() && read < READ_MAX) {
      at = read(at, PROBED, rest::add);
    }
    return at == null && rest.isEmpty();
  }

  /// How many cases with each status there are.
  ///
  /// @param isWhole whether all were read; otherwise there are at least so many
  record Counts(Map<CaseStatus, Integer> byStatus, boolean isWhole) {}

  Counts counts() {
    Map<CaseStatus, Integer> counts = new EnumMap<>(CaseStatus.class);
    Place at = new Place(0, "");
    read = 0;
    while (at != null && read < READ_MAX) {
      at = read(at, PAGE, each -> counts.merge(each.status(), 1, Integer::sum));
    }
    return new Counts(counts, at == null);
  }

  /// Passes on what is found among some cases from a place on, and returns the place after them;
  /// null at the end.
  private @Nullable Place read(Place from, int most, Consumer<CaseRecord> out) {
    Part part = parts.get(from.part);
    String next = part.isOfIds() ? byId(from.after, most, out) : byAttribute(from, part, most, out);
    if (!next.isEmpty()) {
      return new Place(from.part, next);
    }
    return from.part + 1 < parts.size() ? new Place(from.part + 1, "") : null;
  }

  private String byId(String after, int most, Consumer<CaseRecord> out) {
    List<String> ids = desk.engine().ids(text, after, most);
    for (String each : ids) {
      desk.find(caller, each).filter(query.filter()).ifPresent(out);
    }
    read += ids.size();
    return ids.size() < most ? "" : ids.getLast();
  }

  private String byAttribute(Place from, Part part, int most, Consumer<CaseRecord> out) {
    CaseQuery own = query.withWorkflow(part.workflow).and(part.attribute, Match.startsWith(text));
    CasePage page = desk.engine().list(own.withPage(from.after, most));
    page.cases().stream().filter(each -> isFirst(from.part, each)).forEach(out);
    read += Math.max(1, page.cases().size());
    return page.next();
  }

  /// Whether no part before finds the case.
  private boolean isFirst(int number, CaseRecord record) {
    if (record.caseId().startsWith(text)) {
      return false;
    }
    for (Part each : parts.subList(1, number)) {
      AttributeValue value =
          each.workflow.equals(record.workflow())
              ? record.facts().attributes().get(each.attribute)
              : null;
      if (value != null && Match.startsWith(text).test(value)) {
        return false;
      }
    }
    return true;
  }

  /// A place can name a case that the caller may not see, so clients receive it sealed.
  private String shown(Place place) {
    Part part = parts.get(place.part);
    String plain = String.join("\n", part.workflow, part.attribute, place.after);
    return String.valueOf(Cursor.of("text", desk.seal().seal(plain)));
  }

  private Place place(String cursor) {
    List<String> outer = Cursor.parts(cursor, 2);
    String[] inner = desk.seal().open(outer.getLast()).orElse("").split("\n", 3);
    int number =
        outer.getFirst().equals("text") && inner.length == 3
            ? parts.indexOf(new Part(inner[0], inner[1]))
            : -1;
    if (number < 0) {
      throw Problem.bad("cursor: not one of this list; start without it");
    }
    return new Place(number, inner[2]);
  }
}

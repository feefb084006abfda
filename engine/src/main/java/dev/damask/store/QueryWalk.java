package dev.damask.store;

import dev.damask.attribute.FactIndex;
import dev.damask.attribute.FactIndex.Entry;
import dev.damask.attribute.FactIndex.Reader;
import dev.damask.store.QueryPlan.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Answers queries with conditions from a [FactIndex].
public final class QueryWalk {
  private final FactIndex index;
  private final Function<String, Optional<CaseRecord>> load;
  private final CaseQuery query;
  private final QueryPlan plan;
  private final List<CaseRecord> page = new ArrayList<>();
  private @Nullable Entry last; // the last entry on the page; null while it is empty
  private boolean isMore;

  private QueryWalk(FactIndex index, Function<String, Optional<CaseRecord>> load, CaseQuery query) {
    this.index = index;
    this.load = load;
    this.query = query;
    this.plan = QueryPlan.of(query, index.hasStatus(), this::count);
  }

  /// Returns one page.
  ///
  /// @param load reads the record of a case; empty if it cannot be read
  public static CasePage page(
      FactIndex index, Function<String, Optional<CaseRecord>> load, CaseQuery query) {
    QueryWalk walk = new QueryWalk(index, load, query);
    if (walk.plan.range() < 0) {
      walk.single();
    } else {
      walk.range(walk.plan.ranges().get(walk.plan.range()));
    }
    String next =
        walk.isMore && walk.last != null ? QueryCursor.of(walk.plan.range(), walk.last) : "";
    return new CasePage(walk.page, next);
  }

  private int count(Source source, int limit) {
    int found = 0;
    try (Reader reader = index.open(source.name())) {
      Entry at = reader.seek(new Entry(source.from(), Long.MIN_VALUE, ""));
      while (at != null && source.contains(at) && found < limit) {
        found++;
        at = reader.next();
      }
    }
    return found;
  }

  private void range(Source source) {
    try (Reader reader = index.open(source.name())) {
      Entry first =
          query.after().isEmpty()
              ? new Entry(source.from(), Long.MIN_VALUE, "")
              : QueryCursor.last(query.after()).successor();
      Entry at = reader.seek(first);
      while (at != null && source.contains(at) && take(at)) {
        at = reader.next();
      }
    }
  }

  /// Visits the cases that all single values have. Each index is asked for the first case at or
  /// after the one that the others are at.
  private void single() {
    List<Reader> readers = new ArrayList<>();
    try {
      for (Source each : plan.single()) {
        readers.add(index.open(each.name()));
      }
      Entry at =
          query.after().isEmpty()
              ? new Entry(new byte[0], query.fromMillis(), "")
              : QueryCursor.last(query.after()).successor();
      for (Entry common = common(readers, at); common != null; common = common(readers, at)) {
        if (common.startedMillis() >= query.untilMillis() || !take(common)) {
          return;
        }
        at = common.successor();
      }
    } finally {
      readers.forEach(Reader::close);
    }
  }

  private @Nullable Entry common(List<Reader> readers, Entry from) {
    Entry at = from;
    int agreed = 0;
    for (int i = 0; agreed < readers.size(); i = (i + 1) % readers.size()) {
      Source source = plan.single().get(i);
      Entry found = readers.get(i).seek(at.under(source.from()));
      if (found == null || !source.contains(found)) {
        return null;
      }
      agreed = found.comparePlace(at) == 0 ? agreed + 1 : 1;
      at = found;
    }
    return at;
  }

  /// Puts a case on the page if it belongs to the answer. Returns false if the page is full.
  private boolean take(Entry entry) {
    CaseRecord record = load.apply(entry.caseId()).orElse(null);
    if (record == null || !query.filter().test(record)) {
      return true;
    }
    if (page.size() == query.limit()) {
      isMore = true;
      return false;
    }
    last = entry;
    return page.add(record);
  }
}

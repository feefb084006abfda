package dev.damask.store.postgres;

import dev.damask.attribute.FactIndex;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.QueryCursor;
import dev.damask.store.QueryPlan;
import dev.damask.store.QueryPlan.Source;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Answers queries with conditions. One condition is walked in the order of its index, the others
/// are looked up for each case.
final class PostgresQuery {
  /// How many entries are counted to find the smallest of several single values.
  private static final int COUNTED_MAX = 4_096;

  private final PostgresReads reads;
  private final CaseQuery query;
  private final QueryPlan plan;

  private PostgresQuery(PostgresReads reads, CaseQuery query) {
    this.reads = reads;
    this.query = query;
    this.plan = QueryPlan.of(query, true, this::count);
  }

  /// A case on the page and its entry in the index that is walked.
  private record Found(FactIndex.Entry entry, CaseRecord record) {}

  static CasePage page(PostgresReads reads, CaseQuery query) {
    return new PostgresQuery(reads, query).page();
  }

  private CasePage page() {
    List<CaseRecord> page = new ArrayList<>();
    FactIndex.Entry last = query.after().isEmpty() ? null : QueryCursor.last(query.after());
    FactIndex.Entry at = last;
    Source driver = driver();
    while (true) {
      List<Found> next = next(driver, at);
      for (Found each : next) {
        at = each.entry();
        if (!query.filter().test(each.record())) {
          continue; // corrupt, or changed between two statements
        }
        if (page.size() == query.limit()) {
          return new CasePage(page, last == null ? "" : QueryCursor.of(plan.range(), last));
        }
        last = each.entry();
        page.add(each.record());
      }
      if (next.size() <= query.limit()) {
        return new CasePage(page, "");
      }
    }
  }

  private Source driver() {
    if (plan.range() >= 0) {
      return plan.ranges().get(plan.range());
    }
    Source best = plan.single().getFirst();
    int fewest = plan.single().size() == 1 ? 0 : COUNTED_MAX;
    for (Source each : plan.single()) {
      int found = fewest == 0 ? 0 : count(each, fewest);
      if (found < fewest) {
        fewest = found;
        best = each;
      }
    }
    return best;
  }

  private int count(Source source, int limit) {
    boolean isStatus = source.name().equals(FactIndex.STATUS);
    String entries =
        isStatus
            ? "select 1 from @.cases where status = ?"
            : "select 1 from @.facts where name = ? and key >= ? and key < ?";
    List<@Nullable Object> values = new ArrayList<>();
    if (isStatus) {
      values.add((short) source.from()[0]);
    } else {
      values.addAll(List.of(source.name(), source.from(), source.to()));
    }
    values.add(limit);
    return reads
        .query(
            "select count(*) from (" + entries + " limit ?) as entries",
            row -> row.getInt(1),
            values.toArray())
        .stream()
        .mapToInt(Integer::intValue)
        .sum();
  }

  /// Reads the next cases after an entry, one more than fit on a page.
  private List<Found> next(Source driver, FactIndex.@Nullable Entry after) {
    boolean isStatus = driver.name().equals(FactIndex.STATUS);
    boolean isRange = plan.range() >= 0;
    List<@Nullable Object> values = new ArrayList<>();
    StringBuilder sql =
        new StringBuilder(
            "select c.case_id, c.record, c.checksum, c.revision, c.status, c.started");
    sql.append(isStatus ? ", ''::bytea from @.cases c where true" : ", f.key from @.facts f");
    if (!isStatus) {
      sql.append(" join @.cases c on c.case_id = f.case_id");
      sql.append(" where f.name = ? and f.key >= ? and f.key < ?");
      values.addAll(List.of(driver.name(), driver.from(), driver.to()));
    }
    String place = isStatus ? "c.started, c.case_id" : "f.started, f.case_id";
    if (after != null) {
      sql.append(isRange ? " and (f.key, " + place + ") > (?, ?, ?)" : "");
      sql.append(isRange ? "" : " and (" + place + ") > (?, ?)");
      if (isRange) {
        values.add(after.key());
      }
      values.add(after.startedMillis());
      values.add(after.caseId());
    }
    sql.append(" and c.started >= ? and c.started < ?");
    values.add(query.fromMillis());
    values.add(query.untilMillis());
    conditions(driver, sql, values);
    sql.append(" order by ").append(isRange ? "f.key, " : "").append(place).append(" limit ?");
    values.add(query.limit() + 1);
    return reads.query(
        sql.toString(),
        row ->
            new Found(
                new FactIndex.Entry(row.getBytes(7), row.getLong(6), row.getString(1)),
                reads.orCorrupt(row)),
        values.toArray());
  }

  private void conditions(Source driver, StringBuilder sql, List<@Nullable Object> values) {
    CaseStatus status = query.status();
    if (status != null) {
      sql.append(" and c.status = ?");
      values.add((short) status.number());
    }
    if (query.workflow() != null) {
      sql.append(" and c.workflow = ?");
      values.add(query.workflow());
    }
    List<Source> others = new ArrayList<>(plan.single());
    others.addAll(plan.ranges());
    for (Source each : others) {
      if (each != driver && !each.name().equals(FactIndex.STATUS)) {
        sql.append(" and exists (select 1 from @.facts o where o.case_id = c.case_id");
        sql.append(" and o.name = ? and o.key >= ? and o.key < ?)");
        values.addAll(List.of(each.name(), each.from(), each.to()));
      }
    }
  }
}

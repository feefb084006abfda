package dev.damask.store;

import dev.damask.attribute.AttributeValue;
import dev.damask.attribute.CaseFacts;
import dev.damask.attribute.Match;
import dev.damask.program.ProgramHash;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Which cases to list. All conditions must hold.
///
/// A query without conditions lists in the order of status, start and id. A query with a condition
/// that one value alone meets lists in the order of start and id. Any other query lists in the
/// order of one of its conditions' values. Pages continue each other as long as the rest of the
/// query stays the same.
///
/// @param workflow null for every workflow
/// @param status null for every status
/// @param fromMillis started at or after
/// @param untilMillis started before
/// @param after the cursor of the page before; empty for the first page
/// @param limit at most this many, from 1 to [#LIMIT_MAX]
/// @param conditions on attributes and waits
/// @param program null for every version of a workflow
public record CaseQuery(
    @Nullable String workflow,
    @Nullable CaseStatus status,
    long fromMillis,
    long untilMillis,
    String after,
    int limit,
    List<Condition> conditions,
    @Nullable ProgramHash program) {
  /// The largest page.
  public static final int LIMIT_MAX = 1_000;

  /// How many conditions a query may have.
  public static final int CONDITIONS_MAX = 16;

  /// Every case, in pages of 100.
  public static final CaseQuery ALL =
      new CaseQuery(null, null, Long.MIN_VALUE, Long.MAX_VALUE, "", 100);

  public CaseQuery {
    if (limit < 1 || limit > LIMIT_MAX) {
      throw new IllegalArgumentException(
          "limit must be between 1 and " + LIMIT_MAX + ", got " + limit);
    }
    conditions = List.copyOf(conditions);
    if (conditions.size() > CONDITIONS_MAX) {
      throw new IllegalArgumentException(
          "a query has at most %d conditions, got %d".formatted(CONDITIONS_MAX, conditions.size()));
    }
  }

  /// Creates a query without conditions.
  public CaseQuery(
      @Nullable String workflow,
      @Nullable CaseStatus status,
      long fromMillis,
      long untilMillis,
      String after,
      int limit) {
    this(workflow, status, fromMillis, untilMillis, after, limit, List.of(), null);
  }

  /// A condition on an attribute, or on what a case waits for.
  ///
  /// @param name of the attribute, or [CaseFacts#WAITING_FOR]
  public record Condition(String name, Match match) {
    public Condition {
      if (name.equals(CaseFacts.WAITING_FOR) && !match.isOne()) {
        throw new IllegalArgumentException(
            "waitingFor " + match + ": name one task, place or set of instances");
      }
    }

    boolean test(CaseFacts facts) {
      if (name.equals(CaseFacts.WAITING_FOR)) {
        return facts.waits().stream().anyMatch(each -> match.test(new AttributeValue.Text(each)));
      }
      AttributeValue value = facts.attributes().get(name);
      return value != null && match.test(value);
    }

    @Override
    public String toString() {
      return name + " " + match;
    }
  }

  /// Returns the query of a string such as `customer = 'acme' and status = waiting`. Throws
  /// [QueryText.InvalidQuery] with the column of what is wrong.
  public static CaseQuery parse(String text) {
    return QueryText.parse(text);
  }

  /// Returns a query for the cases whose attribute is equal to a value, or matches a [Match].
  public static CaseQuery where(String attribute, Object value) {
    return ALL.and(attribute, value);
  }

  /// Returns this query with one more condition: an attribute is equal to a value, or matches a
  /// [Match].
  public CaseQuery and(String attribute, Object value) {
    return with(new Condition(attribute, value instanceof Match match ? match : Match.is(value)));
  }

  /// Returns this query for cases that wait for a task, an external place or a set of instances of
  /// this name.
  public CaseQuery waitingFor(String name) {
    return with(new Condition(CaseFacts.WAITING_FOR, Match.is(name)));
  }

  private CaseQuery with(Condition added) {
    List<Condition> all = new ArrayList<>(conditions);
    all.add(added);
    return new CaseQuery(workflow, status, fromMillis, untilMillis, after, limit, all, program);
  }

  /// Returns this query for one workflow.
  public CaseQuery withWorkflow(String name) {
    return new CaseQuery(name, status, fromMillis, untilMillis, after, limit, conditions, program);
  }

  /// Returns this query for the cases that have one version of their workflow.
  public CaseQuery withProgram(ProgramHash hash) {
    return new CaseQuery(workflow, status, fromMillis, untilMillis, after, limit, conditions, hash);
  }

  /// Returns this query for one status.
  public CaseQuery withStatus(CaseStatus wanted) {
    return new CaseQuery(
        workflow, wanted, fromMillis, untilMillis, after, limit, conditions, program);
  }

  /// Returns this query for cases that started at or after one time and before another.
  public CaseQuery withStarted(long from, long until) {
    return new CaseQuery(workflow, status, from, until, after, limit, conditions, program);
  }

  /// Returns this query for the page after a cursor. Throws `IllegalArgumentException` unless the
  /// size is between 1 and [#LIMIT_MAX].
  public CaseQuery withPage(String cursor, int size) {
    return new CaseQuery(
        workflow, status, fromMillis, untilMillis, cursor, size, conditions, program);
  }

  /// Whether a case belongs to the answer, whatever the page.
  public Predicate<CaseRecord> filter() {
    return record ->
        (workflow == null || workflow.equals(record.workflow()))
            && (status == null || status == record.status())
            && (program == null || program.equals(record.program()))
            && record.startedMillis() >= fromMillis
            && record.startedMillis() < untilMillis
            && conditions.stream().allMatch(each -> each.test(record.facts()));
  }

  /// Where a case is in the order of a list without conditions.
  public static String cursor(CaseStatus status, long startedMillis, String caseId) {
    return "%d %016x %s".formatted(status.number(), startedMillis, caseId);
  }
}

package dev.damask.simulation;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.attribute.AttributeValue;
import dev.damask.attribute.Match;
import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.compile.Compiler;
import dev.damask.event.Mapping;
import dev.damask.program.ProgramHash;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.Store;
import dev.damask.task.Expression;
import dev.damask.term.Attribute;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Random histories of cases with attributes on any store. After each part of a history, the index
/// must answer every query as a scan of all cases does, and the facts of each case must be those of
/// its data.
///
/// A history starts, changes, completes, fails, cancels and migrates cases, removes some, and opens
/// the store again with other attributes.
public final class FactHistories {
  private static final List<String> CUSTOMERS = List.of("acme", "acme ltd", "zoë", "b'b");
  private static final int CASES = 24;
  private static final int ACTIONS = 25;
  private static final int QUERIES = 30;
  private static final int PARTS = 4;

  private final Random random;
  private final Supplier<Store> stores;
  private final List<WorkflowDefinition> versions;
  private final List<ProgramHash> programs;
  private int removals;
  private List<String> ended = List.of();

  private FactHistories(long seed, Supplier<Store> stores) {
    this.random = new Random(seed);
    this.stores = stores;
    this.versions = List.of(version(false), version(true));
    this.programs = versions.stream().map(each -> Compiler.compile(each).hash()).toList();
  }

  /// Runs one history. Throws [InvariantViolation] if an answer is wrong.
  ///
  /// @param stores opens the store of the history; it is closed before it is opened again
  public static void check(long seed, Supplier<Store> stores) {
    try {
      new FactHistories(seed, stores).run();
    } catch (RuntimeException e) {
      throw new InvariantViolation("facts", "seed " + seed + ": " + e.getMessage(), e);
    }
  }

  private static WorkflowDefinition version(boolean isSecond) {
    Term turn =
        defer(
            on("change", skip()),
            on("ship", par(effect("ship"), effect("bill"))),
            on("break", fail("broken")));
    Term all = repeatWhile(context -> !Boolean.TRUE.equals(context.get("done")), turn);
    return isSecond
        ? workflow("order", all, task("added", context -> context.with("price", -1)))
        : workflow("order", all);
  }

  private List<Attribute> attributes() {
    List<Attribute> all = new ArrayList<>();
    all.add(attribute("customer", "customer"));
    if (random.nextInt(4) > 0) {
      all.add(attribute("price", "price"));
    }
    if (random.nextBoolean()) {
      all.add(attribute("urgent", "urgent"));
    }
    if (random.nextInt(3) == 0) {
      all.add(attribute("alias", "customer"));
    }
    return all;
  }

  private static Attribute attribute(String name, String key) {
    Expression value = Expression.named(key, context -> context.get(key));
    return new Attribute(name, Attribute.Type.ANY, value, List.of(key));
  }

  private void run() {
    for (int part = 0; part < PARTS; part++) {
      List<Attribute> declared = attributes();
      List<Attribute> other = random.nextBoolean() ? declared : attributes();
      WorkflowDefinition first = versions.get(0).withAttributes(declared);
      WorkflowDefinition second = versions.get(1).withAttributes(other);
      EngineOptions options =
          EngineOptions.defaults()
              .withShards(1 + random.nextInt(2))
              .withResidentMax(4)
              .withGrace(Duration.ofMillis(10));
      Store store = stores.get();
      try (Engine engine = Engine.open(options, store, first, second)) {
        for (int i = 0; i < ACTIONS; i++) {
          act(engine, first, second);
        }
        check(engine, store, first, second);
      }
      remove();
    }
  }

  private String id() {
    return "c" + random.nextInt(CASES);
  }

  private Context data() {
    Context data = Context.empty();
    if (random.nextInt(4) > 0) {
      data = data.with("customer", CUSTOMERS.get(random.nextInt(CUSTOMERS.size())));
    }
    if (random.nextInt(3) > 0) {
      data = data.with("price", random.nextBoolean() ? (Object) (long) random.nextInt(-5, 5) : 2.5);
    }
    return random.nextBoolean() ? data.with("urgent", random.nextBoolean()) : data;
  }

  private void act(Engine engine, WorkflowDefinition first, WorkflowDefinition second) {
    String id = id();
    boolean isThere =
        engine.list(CaseQuery.ALL.withPage("", CaseQuery.LIMIT_MAX)).cases().stream()
            .anyMatch(each -> each.caseId().equals(id));
    if (!isThere) {
      engine.start(random.nextBoolean() ? first : second, id, data());
      return;
    }
    switch (random.nextInt(9)) {
      case 0, 1 -> engine.signal(id, "change", data().toMap());
      case 2 -> engine.signal(id, "ship", data().toMap());
      case 3 -> engine.signal(id, "break", Map.of());
      case 4 -> engine.cancel(id);
      case 5 -> engine.signal(id, "change", Map.of("done", true));
      case 6, 7 -> engine.completeTask(id, random.nextBoolean() ? "ship" : "bill", data().toMap());
      default -> engine.migrate(id, random.nextBoolean() ? first : second, Mapping.NONE);
    }
  }

  /// Removes a case as retention does.
  private void remove() {
    try (Store store = stores.get()) {
      List<CaseRecord> all = all(store, CaseQuery.ALL);
      if (!all.isEmpty()) {
        String gone = all.get(random.nextInt(all.size())).caseId();
        store.commit(new CommitBatch(List.of(), List.of(), List.of(gone))).join();
        ended = ended.stream().filter(each -> !each.equals(gone)).toList();
        removals++;
      }
      answers(store);
      ends(store);
    }
  }

  /// The cases that have ended are each in the stream once, after those that were there before.
  private void ends(Store store) {
    List<Store.EndedCase> all = new ArrayList<>();
    String cursor = "";
    List<Store.EndedCase> page = store.ended(cursor, 3);
    while (!page.isEmpty()) {
      all.addAll(page);
      cursor = page.getLast().cursor();
      page = store.ended(cursor, 3);
    }
    List<String> ids = all.stream().map(Store.EndedCase::caseId).toList();
    TreeSet<String> expected = new TreeSet<>();
    for (CaseRecord each : all(store, CaseQuery.ALL)) {
      if (each.status().isEnded()) {
        expected.add(each.caseId());
      }
    }
    List<String> before = ended.stream().filter(expected::contains).toList();
    boolean isOrdered = ids.size() >= before.size() && ids.subList(0, before.size()).equals(before);
    if (ids.size() != expected.size() || !expected.containsAll(ids) || !isOrdered) {
      throw new IllegalStateException(
          "ended: %s, before %s, expected %s".formatted(ids, before, expected));
    }
    ended = ids;
  }

  private void check(
      Engine engine, Store store, WorkflowDefinition first, WorkflowDefinition second) {
    List<String> problems = engine.verify();
    if (!problems.isEmpty()) {
      throw new IllegalStateException(removals + " removals: " + problems);
    }
    answers(store);
    for (CaseRecord record : all(store, CaseQuery.ALL)) {
      CaseStatus status = record.status();
      if (status == CaseStatus.FAILED || status == CaseStatus.CANCELLED) {
        continue; // it keeps what it had
      }
      CaseView view = engine.status(record.caseId());
      WorkflowDefinition of = record.program().equals(programs.get(0)) ? first : second;
      SortedMap<String, AttributeValue> expected = new TreeMap<>();
      for (Attribute each : of.attributes()) {
        Object value = each.value().value(view.context());
        if (value != null) {
          expected.put(each.name(), AttributeValue.of(value));
        }
      }
      require(record, "attributes", record.facts().attributes(), expected);
      TreeSet<String> waits = new TreeSet<>(view.places());
      view.tasks().stream().map(PendingTask::task).forEach(waits::add);
      require(record, "waits", record.facts().waits(), List.copyOf(waits));
    }
  }

  private static void require(CaseRecord record, String what, Object found, Object expected) {
    if (!found.equals(expected)) {
      throw new IllegalStateException(
          "case %s, %s: has %s, expected %s".formatted(record.caseId(), what, found, expected));
    }
  }

  /// Every query has the answer of a scan, whatever the size of its pages.
  private void answers(Store store) {
    List<CaseRecord> all = all(store, CaseQuery.ALL);
    for (int i = 0; i < QUERIES; i++) {
      CaseQuery query = query(all);
      List<String> found = ids(all(store, query.withPage("", 1 + random.nextInt(5))));
      List<String> expected = ids(all.stream().filter(query.filter()).toList());
      if (found.size() != new TreeSet<>(found).size()
          || !new TreeSet<>(found).equals(new TreeSet<>(expected))) {
        throw new IllegalStateException(
            "%s: the index gives %s, a scan gives %s".formatted(query, found, expected));
      }
    }
  }

  private static List<String> ids(List<CaseRecord> records) {
    return records.stream().map(CaseRecord::caseId).toList();
  }

  private static List<CaseRecord> all(Store store, CaseQuery query) {
    List<CaseRecord> all = new ArrayList<>();
    String cursor = "";
    do {
      CasePage page = store.list(query.withPage(cursor, query.limit()));
      all.addAll(page.cases());
      cursor = page.next();
    } while (!cursor.isEmpty());
    return all;
  }

  private CaseQuery query(List<CaseRecord> all) {
    CaseQuery query = CaseQuery.ALL;
    for (int left = random.nextInt(4); left >= 0; left--) {
      query =
          switch (random.nextInt(7)) {
            case 0, 1 -> query.and("customer", CUSTOMERS.get(random.nextInt(CUSTOMERS.size())));
            case 2 -> query.and("customer", Match.startsWith("acme"));
            case 3 -> query.and("price", range());
            case 4 -> query.and("urgent", random.nextBoolean());
            case 5 -> query.waitingFor(List.of("ship", "bill", "change").get(random.nextInt(3)));
            default -> query.and("alias", Match.atLeast("b"));
          };
    }
    if (random.nextInt(3) == 0) {
      query = query.withStatus(CaseStatus.byNumber().get(random.nextInt(7)));
    }
    if (random.nextInt(4) == 0) {
      query = query.withWorkflow(random.nextInt(5) == 0 ? "other" : "order");
    }
    @Nullable CaseRecord some = all.isEmpty() ? null : all.get(random.nextInt(all.size()));
    return some != null && random.nextInt(4) == 0
        ? query.withStarted(some.startedMillis(), Long.MAX_VALUE)
        : query;
  }

  private Match range() {
    long value = random.nextInt(-5, 5);
    return switch (random.nextInt(5)) {
      case 0 -> Match.above(value);
      case 1 -> Match.atLeast(value);
      case 2 -> Match.below(value);
      case 3 -> Match.atMost(2.5);
      default -> Match.between(value, value + 3);
    };
  }
}

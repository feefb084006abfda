package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static dev.damask.store.CaseQuery.where;
import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cli.command.ClusterUrls;
import dev.damask.cli.command.StoreFolder;
import dev.damask.cluster.SharedStore;
import dev.damask.ops.TaskClaim;
import dev.damask.ops.TaskClaims;
import dev.damask.store.AuditEntry;
import dev.damask.store.AuditRecord;
import dev.damask.store.CaseImage;
import dev.damask.store.CommitBatch;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.task.Expression;
import dev.damask.term.Attribute;
import dev.damask.term.Schedule;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `damask store copy`, in both directions.
@Timeout(180)
final class StoreCopyTest {
  private static final int CASES = 40;

  /// One of them is at most once: no worker may take its task after the copy either.
  private static final List<TaskClaim> CLAIMS =
      List.of(
          new TaskClaim("case-1", new EffectId(7), "c1", "eve", "ask", 1, true, 5, 9),
          new TaskClaim("case-1-a", new EffectId(-7), "c2", "bob", "ask", 2, false, 6, 99),
          new TaskClaim("case-10", new EffectId(8), "c3", "eve", "ask", 1, false, 7, 99));

  private static final List<AuditEntry> AUDIT =
      List.of(
          new AuditEntry(1, "eve", "cancel", "case-1", "", "accepted", ""),
          new AuditEntry(2, "bob", "signal", "case-2", "go", "refused", "late"));

  private static LocalPostgres server;

  @TempDir private Path folder;

  private final WorkflowDefinition work = work();

  private static WorkflowDefinition work() {
    var step =
        defer(
            on("go", seq(effect("ask").key(Expression.named("k", c -> "" + c.get("k"))))),
            after(Duration.ofDays(2), skip()));
    return workflow("work", seq(step, step, effect("open")))
        .withAttributes(
            List.of(
                new Attribute(
                    "k",
                    Attribute.Type.TEXT,
                    Expression.named("k", c -> c.get("k")),
                    List.of("k"))));
  }

  @BeforeAll
  static void start() throws IOException {
    server = new LocalPostgres();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static String url(String schema) {
    return server.url(schema);
  }

  private EngineOptions options() {
    return EngineOptions.defaults()
        .withShards(1)
        .withTrace(TraceLevel.FULL)
        .withGrace(Duration.ofMillis(50))
        .withHandler("ask", call -> Map.of("answer", "x".repeat(400) + call.caseId()));
  }

  /// A store with ended, waiting and open cases, keys, messages, large values and rows.
  private Path filled() {
    Path store = folder.resolve("first");
    Random random = new Random(5);
    try (Engine engine = Engine.open(options(), store, work)) {
      for (int i = 0; i < CASES; i++) {
        Context input = Context.of("big", "y".repeat(300 + i)).with("k", "key-" + i % 30);
        engine.start(work, "case-" + i, input);
      }
      for (int i = 0; i < 3 * CASES; i++) {
        engine.signal("case-" + random.nextInt(CASES), "go", Map.of("i", i), "m" + i);
      }
      for (int i = 0; i < CASES; i += 5) {
        engine.cancel("case-" + (CASES - 1 - i));
      }
      engine.schedules().put("monthly", Schedule.every(Duration.ofDays(30)), work, Context.empty());
    }
    try (Store opened = open(store.toString())) {
      TaskClaims.of(opened).take(CLAIMS, 0);
      opened.commit(CommitBatch.ofAudit(AUDIT)).join();
      TableRow indexed =
          new TableRow("graph", "a", 3, Bytes.of("v".getBytes(StandardCharsets.UTF_8)), "index");
      opened
          .commit(
              CommitBatch.ofRows(
                  List.of(
                      new RowChange.Put(indexed),
                      new RowChange.Put(new TableRow("rule", "b", 1, Bytes.of(new byte[2_000]))))))
          .join();
    }
    return store;
  }

  private static Store open(String store) {
    return new StoreFolder(Path.of(store)).openAlone(true);
  }

  @Test
  void a_store_comes_back_from_postgresql_with_the_same_bytes() {
    Path first = filled();
    String middle = url("middle");
    Path last = folder.resolve("last");
    assertThat(damask("store", "init", middle).exit()).isZero();

    Shell there = damask("store", "copy", first.toString(), middle);
    assertThat(there.exit()).as(there.err()).isZero();
    assertThat(there.out()).contains("40 cases copied from " + first + " and compared");
    assertThat(there.err()).contains("damask: compared 40 of 40 cases");
    Shell back = damask("store", "copy", middle, last.toString());
    assertThat(back.exit()).as(back.err()).isZero();

    try (Store one = open(first.toString());
        Store other = open(last.toString())) {
      assertThat(other.ids("")).isEqualTo(one.ids("")).hasSize(CASES);
      for (String id : one.ids("")) {
        CaseImage image = one.images().image(id);
        assertThat(other.images().image(id).hasBytesOf(image)).as(id).isTrue();
      }
      assertThat(one.ids("").stream().anyMatch(id -> !one.images().image(id).lasting().isEmpty()))
          .as("large values of the journal")
          .isTrue();
      assertThat(one.ids("").stream().anyMatch(id -> !one.images().image(id).keys().isEmpty()))
          .as("users' keys")
          .isTrue();
      assertThat(ends(other)).isEqualTo(ends(one)).isNotEmpty();
      assertThat(other.programs()).isEqualTo(one.programs());
      assertThat(plain(other)).isEqualTo(plain(one)).isNotEmpty();
      assertThat(claims(other)).containsExactlyInAnyOrderElementsOf(CLAIMS);
      assertThat(TaskClaims.of(other).take(CLAIMS.subList(0, 1), 1_000))
          .as("an at-most-once task whose lease has ended")
          .isEmpty();
      assertThat(audit(other)).isEqualTo(AUDIT);
      assertThat(other.due(Store.DueCase.FIRST, 100)).isEqualTo(one.due(Store.DueCase.FIRST, 100));
      assertThat(other.epoch()).isGreaterThan(0);
      assertThat(other.verify()).isEmpty();
    }
  }

  private static List<TaskClaim> claims(Store store) {
    return TaskClaims.of(store).list(null, 100);
  }

  private static List<AuditEntry> audit(Store store) {
    return store.audit("", 100).stream().map(AuditRecord::entry).toList();
  }

  /// All rows but those of the audit log, which are numbered anew.
  private static List<TableRow> plain(Store store) {
    return store.images().rows(null, 1_000).stream()
        .filter(row -> !row.kind().equals("audit"))
        .toList();
  }

  private static List<String> ends(Store store) {
    return store.ended("", 1_000).stream().map(Store.EndedCase::caseId).toList();
  }

  @Test
  void a_node_on_postgresql_knows_claims_audit_schedules_and_attributes_of_the_directory()
      throws Exception {
    Path first = filled();
    String url = url("known");
    damask("store", "init", url);
    assertThat(damask("store", "copy", first.toString(), url).exit()).isZero();

    try (Store directory = open(first.toString());
        SharedStore node = ClusterUrls.provider(url).nodeIfAlone(url)) {
      assertThat(claims(node)).containsExactlyInAnyOrderElementsOf(CLAIMS);
      assertThat(audit(node)).isEqualTo(AUDIT);
      assertThat(node.table().rows("schedule", null, 10))
          .isEqualTo(directory.table().rows("schedule", null, 10))
          .hasSize(1);
    }
    try (Engine engine = Engine.open(options(), ClusterUrls.provider(url).nodeIfAlone(url), work)) {
      assertThat(engine.list(where("k", "key-7")).cases())
          .extracting(each -> each.caseId())
          .containsExactlyInAnyOrder("case-7", "case-37");
    }
  }

  @Test
  void cases_continue_in_the_copy() throws Exception {
    Path first = filled();
    String url = url("continued");
    damask("store", "init", url);
    damask("store", "copy", first.toString(), url);
    Path back = folder.resolve("back");
    damask("store", "copy", url, back.toString());

    try (Engine engine = Engine.open(options().withHandler("open", _ -> Map.of()), back, work)) {
      for (int i = 0; i < 4; i++) {
        for (int each = 0; each < CASES; each++) {
          engine.signal("case-" + each, "go", Map.of());
        }
      }
      for (int each = 0; each < CASES; each++) {
        assertThat(engine.await("case-" + each, Duration.ofSeconds(30))).as("%d", each).isPresent();
      }
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void a_target_that_is_not_empty_is_refused() {
    Path first = filled();
    String url = url("taken");
    damask("store", "init", url);
    Shell copied = damask("store", "copy", first.toString(), url);
    assertThat(copied.exit()).as(copied.err()).isZero();

    Shell again = damask("store", "copy", first.toString(), url);

    assertThat(again.exit()).isNotZero();
    assertThat(again.err()).contains("the target is not empty; copy into a new store");
  }

  @Test
  void a_store_is_not_copied_while_a_node_is_alive() {
    String url = url("alive");
    damask("store", "init", url);
    try (Engine _ = Engine.open(options(), ClusterUrls.provider(url).nodeIfAlone(url), work)) {
      Shell refused = damask("store", "copy", url, folder.resolve("copy").toString());

      assertThat(refused.exit()).isNotZero();
      assertThat(refused.err()).contains("is alive; close that engine first");
    }
    Path first = filled();
    try (Engine _ = Engine.open(options(), first, work)) {
      Shell refused = damask("store", "copy", first.toString(), url);

      assertThat(refused.exit()).isNotZero();
      assertThat(refused.err()).contains(first.toString());
    }
  }

  @Test
  void a_directory_that_is_no_store_is_not_copied() {
    Shell refused = damask("store", "copy", folder.resolve("none").toString(), url("none"));

    assertThat(refused.exit()).isNotZero();
    assertThat(refused.err()).contains("not a store");
  }
}

package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.effect.EffectException;
import dev.damask.effect.Receipt;
import dev.damask.event.Failure;
import dev.damask.event.Reply;
import dev.damask.intake.CaseTerms;
import dev.damask.store.CaseRecord;
import dev.damask.store.MemoryStore;
import dev.damask.task.Expression;
import dev.damask.term.Limits;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import dev.damask.value.Encoder;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What comes from outside is measured before anything of it is stored.
@Timeout(60)
final class BoundsTest {
  private static final int PAYLOAD = 180_000;
  private static final int KEPT = 4 * 1_024 * 1_024 / PAYLOAD;

  private final MemoryStore store = new MemoryStore();
  private final WorkflowDefinition waiting =
      workflow("waiting", defer(on("go", defer(on("later", skip())))));
  private final WorkflowDefinition asking = workflow("asking", effect("ask"));

  private static Map<String, Object> large(int number) {
    return Map.of("number", number, "text", "x".repeat(60_000), "more", "y".repeat(120_000 - 100));
  }

  @Test
  void signals_beyond_the_bound_are_rejected_and_other_cases_continue() throws Exception {
    try (var engine = Engine.open(EngineOptions.defaults(), store, waiting)) {
      engine.start(waiting, "full", Context.empty());
      engine.start(waiting, "other", Context.empty());
      int kept = 0;
      for (int i = 0; i < 100; i++) {
        var reply = engine.signal("full", "later", large(i), "message " + i);
        kept += reply.kind() == Reply.BUFFERED ? 1 : 0;
      }
      long revision = engine.status("full").revision();

      assertThat(kept).isEqualTo(KEPT);
      assertThat(revision).as("a rejected signal is not stored").isEqualTo(KEPT + 1L);
      assertThat(engine.signal("other", "later", large(1)).kind()).isEqualTo(Reply.BUFFERED);
      engine.signal("other", "go", Map.of());
      assertThat(engine.await("other")).isInstanceOf(CaseResult.Completed.class);
      engine.signal("full", "go", Map.of());
      assertThat(engine.await("full")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void a_message_that_found_no_room_may_come_again() {
    var small = CaseOptions.DEFAULT.withLimits(Limits.DEFAULT.withBytes(5_000, 1_000));
    var flow = workflow("two", defer(on("go", defer(on("p", defer(on("p", skip())))))));
    var payload = Map.of("text", "x".repeat(3_000));
    try (var engine = Engine.open(EngineOptions.defaults(), store, flow)) {
      engine.start(flow, "one", Context.empty(), small);
      assertThat(engine.signal("one", "p", payload, "a").kind()).isEqualTo(Reply.BUFFERED);
      assertThat(engine.signal("one", "p", payload, "b").kind()).isEqualTo(Reply.REJECTED);

      engine.signal("one", "go", Map.of());

      assertThat(engine.signal("one", "p", payload, "b").kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.signal("one", "p", payload, "a").kind()).isEqualTo(Reply.BUFFERED);
    }
  }

  @Test
  void a_message_id_has_at_most_256_bytes() {
    try (var engine = Engine.open(EngineOptions.defaults(), store, waiting)) {
      engine.start(waiting, "one", Context.empty());

      assertThat(engine.signal("one", "later", Map.of(), "x".repeat(256)).kind())
          .isEqualTo(Reply.BUFFERED);
      for (String id : List.of("x".repeat(257), "ü".repeat(129))) {
        assertThatThrownBy(() -> engine.signal("one", "later", Map.of(), id))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("a message id has at most 256 bytes");
      }
    }
  }

  @Test
  void a_message_id_with_a_zero_character_is_refused() {
    try (var engine = Engine.open(EngineOptions.defaults(), store, waiting)) {
      engine.start(waiting, "one", Context.empty());

      assertThatThrownBy(() -> engine.signal("one", "later", Map.of(), "ab\0"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a message id must not contain U+0000, found one at index 2");
      assertThat(engine.status("one").revision()).isEqualTo(1);
    }
  }

  /// A computed key may contain what no input may.
  private static String zeros(@Nullable Object key) {
    return String.valueOf(key).replace('%', '\0');
  }

  @Test
  void a_key_with_a_zero_character_or_too_many_bytes_fails_its_task_before_the_call()
      throws Exception {
    var key = Expression.named("key", context -> zeros(context.get("key")));
    var pay = workflow("pay", effect("pay").key(key));
    List<String> calls = new CopyOnWriteArrayList<>();
    var options =
        EngineOptions.defaults()
            .withHandler(
                "pay",
                call -> {
                  calls.add(call.key());
                  return Map.of();
                });
    try (var engine = Engine.open(options, store, pay)) {
      for (String bad : List.of("k%", "x".repeat(2_001), "ü".repeat(1_001))) {
        String id = "bad-" + bad.length();
        engine.start(pay, id, Context.of("key", bad));
        assertThat(engine.await(id))
            .isInstanceOfSatisfying(
                CaseResult.Failed.class,
                failed ->
                    assertThat(failed.error().toString())
                        .containsAnyOf("must not contain U+0000", "at most 2000 bytes"));
      }
      String longest = "x".repeat(2_000);
      engine.start(pay, "good", Context.of("key", longest));
      assertThat(engine.await("good")).isInstanceOf(CaseResult.Completed.class);
      assertThat(calls).containsExactly(longest);
    }
  }

  @Test
  void a_result_of_a_handler_beyond_the_bound_fails_its_task_and_is_not_stored() throws Exception {
    var options =
        EngineOptions.defaults().withHandler("ask", _ -> Map.of("text", "x".repeat(300_000)));
    try (var engine = Engine.open(options, store, asking)) {
      var result = engine.start(asking, "one", Context.empty()).await();

      assertThat(result)
          .isInstanceOfSatisfying(
              CaseResult.Failed.class,
              it -> assertThat(it.error().reason()).isEqualTo(Failure.LIMIT));
      assertThat(engine.receipts("one"))
          .singleElement()
          .satisfies(each -> assertThat(each.body().result().toString()).hasSizeLessThan(1_000));
    }
  }

  @Test
  void a_result_from_outside_beyond_the_bound_is_refused_and_the_task_still_waits() {
    try (var engine = Engine.open(EngineOptions.defaults(), store, asking)) {
      var run = engine.start(asking, "one", Context.empty());
      var id = run.status().tasks().getFirst().id();

      assertThatThrownBy(() -> run.completeTask(id, Map.of("text", "x".repeat(300_000))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("limit resultBytes");
      assertThatThrownBy(() -> run.failTask(id, "x".repeat(2_000)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(engine.receipts("one")).isEmpty();
      assertThat(run.completeTask(id, Map.of()).kind()).isEqualTo(Reply.ACCEPTED);
    }
  }

  @Test
  void the_text_of_an_error_is_cut_off() throws Exception {
    var options =
        EngineOptions.defaults()
            .withHandler(
                "ask",
                _ -> {
                  throw new EffectException("odd", "x".repeat(1_000_000));
                });
    try (var engine = Engine.open(options, store, asking)) {
      engine.start(asking, "one", Context.empty()).await();

      assertThat(engine.receipts("one").getFirst().body().result())
          .isInstanceOfSatisfying(
              Receipt.Result.Failed.class,
              it ->
                  assertThat(it.detail()).hasSizeLessThan(17_000).endsWith("(1000000 characters)"));
    }
  }

  @Test
  void limits_that_older_versions_stored_get_the_usual_bounds() {
    Encoder out = new Encoder();
    out.context(
        Context.empty()
            .with("limits", List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L))
            .with("due", CaseRecord.NEVER)
            .with("effects", 0L)
            .with("cost", BigDecimal.ZERO)
            .with("crashes", 0L));

    Optional<Limits> read = CaseTerms.decode(Bytes.of(out.toBytes())).options().limits();
    assertThat(read).contains(new Limits(1, 2, 3, 4, 5, 6, 7, 8));

    Limits own = new Limits(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    CaseTerms terms = CaseTerms.of(CaseOptions.DEFAULT.withLimits(own), 0);
    assertThat(CaseTerms.decode(terms.encode()).options().limits()).contains(own);
  }
}

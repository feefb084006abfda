package dev.damask.cases;

import static dev.damask.term.Flow.anyOf;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseBudget;
import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.clock.VirtualClock;
import dev.damask.compile.Compiler;
import dev.damask.intake.CaseTerms;
import dev.damask.ops.SourceReader;
import dev.damask.program.Program;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.term.Limits;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How cases come, stay and go: terms of their own, programs, retention, crashes of the process.
@Timeout(20)
final class LifetimeTest {
  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000_000);

  private EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withClock(clock).withGrace(Duration.ofMillis(20));
  }

  private static WorkflowDefinition waiting() {
    return workflow("waiting", defer(on("go", skip())));
  }

  @Test
  void the_terms_of_a_case_come_back_from_the_store_as_they_were() {
    CaseOptions own =
        CaseOptions.DEFAULT
            .withSeed(-7)
            .withQuantum(13)
            .withTrace(TraceLevel.FULL)
            .withDeadline(Duration.ofSeconds(5))
            .withLimits(Limits.DEFAULT.withSteps(77))
            .withAllow("a", "b")
            .withBudget(CaseBudget.NONE.withEffects(3).withTime(Duration.ofMinutes(1)));
    CaseTerms terms = CaseTerms.of(own, 1_000).withEffect(java.math.BigDecimal.TEN).withCrashes(2);

    assertThat(CaseTerms.decode(terms.encode())).isEqualTo(terms);
    assertThat(CaseTerms.of(CaseOptions.DEFAULT, 1).encode().length()).isZero();
    assertThat(CaseTerms.decode(Bytes.of())).isEqualTo(CaseTerms.NONE);
  }

  @Test
  void a_seed_of_its_own_lets_a_case_choose_by_chance() throws Exception {
    var flow =
        workflow(
            "w", anyOf(task("a", c -> c.with("took", "a")), task("b", c -> c.with("took", "b"))));
    var taken = new TreeSet<String>();
    try (var engine = Engine.open(options(), store, flow)) {
      for (int i = 0; i < 20; i++) {
        var run = engine.start(flow, "c" + i, Context.empty(), CaseOptions.DEFAULT.withSeed(i));
        taken.add(
            String.valueOf(((CaseResult.Completed<Context>) run.await()).result().get("took")));
      }
      var plain = engine.start(flow, "plain", Context.empty());
      assertThat(plain.await()).isEqualTo(new CaseResult.Completed<>(Context.of("took", "a")));
    }
    assertThat(taken).containsExactly("a", "b");
  }

  @Test
  void one_case_is_traced_and_its_neighbour_is_not() throws Exception {
    var flow = workflow("w", task("a", c -> c));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "loud", Context.empty(), CaseOptions.DEFAULT.withTrace(TraceLevel.FULL));
      engine.start(flow, "quiet", Context.empty(), CaseOptions.DEFAULT.withTrace(TraceLevel.NONE));
      engine.await("loud");

      assertThat(engine.trace("loud")).isNotEmpty();
      assertThat(engine.trace("quiet")).isEmpty();
    }
  }

  @Test
  void limits_of_its_own_hold_for_one_case() throws Exception {
    var flow = workflow("w", task("a", c -> c), task("b", c -> c), task("c", c -> c));
    var strict = CaseOptions.DEFAULT.withLimits(Limits.DEFAULT.withSteps(1));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "strict", Context.empty(), strict);
      engine.start(flow, "free", Context.empty());

      assertThat(engine.await("strict")).isInstanceOf(CaseResult.Failed.class);
      assertThat(engine.await("free")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void finished_cases_go_after_their_time_and_unfinished_ones_never() throws Exception {
    var flow = workflow("w", task("a", c -> c));
    var waiting = waiting();
    try (var engine = Engine.open(options(), store, flow, waiting)) {
      engine.start(flow, "old", Context.empty()).await();
      engine.start(waiting, "open", Context.empty());
      clock.advance(10_000);
      engine.start(flow, "new", Context.empty()).await();

      int removed = engine.retention().sweep(clock.millis() - 5_000);

      assertThat(removed).isEqualTo(1);
      assertThat(engine.list(CaseQuery.ALL).cases())
          .extracting(CaseRecord::caseId)
          .containsExactlyInAnyOrder("open", "new");
      assertThatThrownBy(() -> engine.status("old")).hasMessageContaining("there is no case old");
      assertThat(engine.startAsync(flow, "old", Context.empty()).join().isNew()).isTrue();
      assertThat(engine.statistics().removed()).isEqualTo(1);
    }
  }

  @Test
  void an_engine_with_a_retention_sweeps_by_itself() throws Exception {
    var flow = workflow("w", task("a", c -> c));
    var short_ = EngineOptions.defaults().withRetention(Duration.ofMillis(30));
    try (var engine = Engine.open(short_, store, flow)) {
      engine.start(flow, "one", Context.empty()).await();

      while (engine.statistics().removed() == 0) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(store.record("one")).isEmpty();
    }
  }

  @Test
  void a_case_waits_for_its_program_and_goes_on_when_it_is_registered() throws Exception {
    var flow = workflow("w", effect("ask"));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
    }
    var other = options().withHandler("ask", _ -> Map.of("answer", 1));
    try (var engine = Engine.open(other, store.reopened())) {
      assertThat(engine.await("one"))
          .isInstanceOfSatisfying(
              CaseResult.Stuck.class,
              stuck ->
                  assertThat(stuck.report().reason()).isEqualTo(CaseResult.Reason.PROGRAM_MISSING));
      assertThat(engine.status("one").report().getFirst()).contains("of workflow w");
      assertThat(engine.missingPrograms())
          .singleElement()
          .satisfies(each -> assertThat(each.workflow()).isEqualTo("w"))
          .satisfies(each -> assertThat(each.cases()).isEqualTo(1))
          .hasToString(
              "1 case of workflow w waits for its program %s, which is not registered"
                  .formatted(engine.status("one").program()));
      engine.register(workflow("w", effect("ask")));
      assertThat(engine.missingPrograms()).isEmpty();
      assertThat(engine.await("one"))
          .isEqualTo(new CaseResult.Completed<>(Context.of("answer", 1)));
    }
  }

  @Test
  void programs_of_documents_come_back_from_the_store() throws Exception {
    Bytes source = Bytes.of("the document".getBytes(StandardCharsets.UTF_8));
    Program compiled = Compiler.compile(waiting());
    SourceReader reader = bytes -> bytes.equals(source) ? Optional.of(compiled) : Optional.empty();
    var waiting = waiting();
    try (var engine = Engine.open(options(), store)) {
      engine.register(waiting, source);
      engine.start(waiting, "one", Context.empty());
    }
    try (var engine = Engine.open(options().withSources(reader), store.reopened())) {
      engine.signal("one", "go", Map.of());
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void a_case_that_kills_the_process_too_often_is_put_aside_and_others_go_on() throws Exception {
    var waiting = waiting();
    try (var engine = Engine.open(options(), store, waiting)) {
      engine.start(waiting, "poison", Context.empty());
      engine.start(waiting, "good", Context.empty());
    }
    for (int i = 0; i < 3; i++) {
      store.moving(0, "poison"); // what a process that died in the middle leaves behind
      try (var engine = Engine.open(options(), store.reopened(), waiting)) {
        assertThat(engine.status("good").status()).isEqualTo(CaseStatus.WAITING);
      }
    }
    try (var engine = Engine.open(options(), store.reopened(), waiting)) {
      CaseView poison = engine.status("poison");
      assertThat(poison.status()).isEqualTo(CaseStatus.QUARANTINED);
      assertThat(poison.report()).containsExactly("the process died 3 times while it moved");
      assertThat(engine.signal("good", "go", Map.of())).isNotNull();
      assertThat(engine.retry("poison").isAccepted()).isTrue();
      engine.signal("poison", "go", Map.of());
      assertThat(engine.await("poison")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void a_commit_in_between_forgives_earlier_crashes() throws Exception {
    var twice = workflow("twice", defer(on("go", skip())), defer(on("go", skip())));
    try (var engine = Engine.open(options(), store, twice)) {
      engine.start(twice, "one", Context.empty());
    }
    for (int i = 0; i < 2; i++) {
      store.moving(0, "one");
      Engine.open(options(), store.reopened(), twice).close();
    }
    try (var engine = Engine.open(options(), store.reopened(), twice)) {
      engine.signal("one", "go", Map.of());
    }
    store.moving(0, "one");
    try (var engine = Engine.open(options(), store.reopened(), twice)) {
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.WAITING);
    }
  }

  @Test
  void too_many_inputs_for_one_case_are_refused() throws Exception {
    var spin = workflow("spin", dev.damask.term.Flow.repeat(50_000_000, task("t", c -> c)));
    var narrow = options().withCaseQueueMax(2).withQuantum(10);
    try (var engine = Engine.open(narrow, store, spin)) {
      var _ = engine.startAsync(spin, "one", Context.empty());
      var signals =
          List.of(
              engine.signalAsync("one", "x", Map.of()),
              engine.signalAsync("one", "x", Map.of()),
              engine.signalAsync("one", "x", Map.of()));

      assertThat(signals.getLast())
          .failsWithin(Duration.ofSeconds(10))
          .withThrowableThat()
          .withMessageContaining("is busy: 2 inputs wait");
    }
  }
}

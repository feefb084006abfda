package dev.damask.cases;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.clock.VirtualClock;
import dev.damask.event.Reply;
import dev.damask.intake.FrozenCases;
import dev.damask.store.MemoryStore;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Idle cases as bytes: nothing but the heap shows that a case is frozen.
@Timeout(120)
final class FrozenCasesTest {
  private static final int SEEDS = Integer.getInteger("damask.seeds", 40);
  private static final WorkflowDefinition WAITING =
      workflow("waiting", defer(on("go", task("a", c -> c.with("went", true)))));

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(50));
  }

  /// Branches that wait for signals, a timer, a person and an approval, again and again.
  private static WorkflowDefinition mixed() {
    return workflow(
        "mixed",
        repeat(
            20,
            par(
                repeat(2, defer(on("go", task("count", FrozenCasesTest::count)))),
                effect("ask"),
                effect("approval"),
                defer(on("other", skip()), after(Duration.ofSeconds(7), skip())))));
  }

  private static Context count(Context context) {
    Object n = context.get("n");
    return context.with("n", n instanceof Long known ? known + 1 : 1L);
  }

  /// An engine and whether its idle cases are frozen after every input.
  private static final class Side implements AutoCloseable {
    final VirtualClock clock = new VirtualClock(1_000);
    final boolean freezes;
    final Engine engine;
    int frozen;

    Side(boolean freezes, WorkflowDefinition workflow) {
      this.freezes = freezes;
      this.engine = Engine.open(options().withClock(clock), new MemoryStore(), workflow);
    }

    void rest() {
      if (freezes) {
        frozen += freeze(engine);
      }
    }

    @Override
    public void close() {
      engine.close();
    }
  }

  /// Freezes the idle cases of an engine and returns how many cases are frozen now.
  private static int freeze(Engine engine) {
    Shard shard = engine.shards().getFirst();
    shard.lock.lock();
    try {
      shard.live.freeze(0);
      return shard.live.frozen();
    } finally {
      shard.lock.unlock();
    }
  }

  @Test
  void a_case_that_is_frozen_after_every_input_goes_the_same_way() {
    int frozen = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      WorkflowDefinition workflow = mixed();
      try (Side plain = new Side(false, workflow);
          Side cold = new Side(true, workflow)) {
        SplittableRandom random = new SplittableRandom(seed);
        for (Side side : List.of(plain, cold)) {
          side.engine.start(workflow, "one", Context.of("large", "x".repeat(300)));
          side.rest();
        }
        for (int i = 0; i < 30; i++) {
          long event = random.nextLong();
          Object expected = happen(plain, event);
          Object found = happen(cold, event);

          assertThat(found).as("seed %d, event %d", seed, i).isEqualTo(expected);
          assertThat(cold.engine.status("one")).isEqualTo(plain.engine.status("one"));
          assertThat(cold.engine.state("one")).isEqualTo(plain.engine.state("one"));
          cold.rest();
        }
        assertThat(cold.engine.verify()).isEmpty();
        assertThat(cold.engine.receipts("one")).isEqualTo(plain.engine.receipts("one"));
        frozen += cold.frozen;
      }
    }
    assertThat(frozen).isGreaterThan(20 * SEEDS);
  }

  private static Object happen(Side side, long event) {
    SplittableRandom random = new SplittableRandom(event);
    Engine engine = side.engine;
    List<PendingTask> tasks = engine.status("one").tasks();
    return switch (random.nextInt(6)) {
      case 0 -> engine.signal("one", "other", Map.of("from", random.nextInt(3)));
      case 1 -> {
        side.clock.advance(1_000L * random.nextInt(9));
        yield engine.signal("one", "other", Map.of(), "m" + random.nextInt(4)).kind();
      }
      case 2, 3 -> {
        if (tasks.isEmpty()) {
          yield "no task";
        }
        PendingTask chosen = tasks.get(random.nextInt(tasks.size()));
        Map<String, Object> result = new HashMap<>();
        result.put("k" + random.nextInt(20), "v".repeat(random.nextInt(400)));
        yield engine.completeTask("one", chosen.effect().id(), result);
      }
      default -> engine.signal("one", "go", Map.of("sent", random.nextInt(100)));
    };
  }

  @Test
  void only_as_many_idle_cases_as_the_limit_are_ready_to_move() throws Exception {
    int count = 3 * CaseCache.IDLE_MAX;
    try (Engine engine = Engine.open(options(), new MemoryStore(), WAITING)) {
      for (int i = 0; i < count; i++) {
        engine.start(WAITING, "c" + i, Context.of("n", i));
      }
      Shard shard = engine.shards().getFirst();
      shard.lock.lock();
      try {
        assertThat(shard.live.frozen()).isEqualTo(count - CaseCache.IDLE_MAX);
        assertThat(shard.live.frozenBytes() / shard.live.frozen()).isLessThan(250);
      } finally {
        shard.lock.unlock();
      }
      assertThat(engine.statistics().resident()).isEqualTo(count);
      for (int i = 0; i < count; i++) {
        assertThat(engine.signal("c" + i, "go", Map.of()).kind()).isEqualTo(Reply.ACCEPTED);
        assertThat(engine.await("c" + i))
            .isEqualTo(new CaseResult.Completed<>(Context.of("n", i, "went", true)));
      }
    }
  }

  @Test
  void a_case_that_is_used_again_and_again_is_not_frozen() {
    try (Engine engine = Engine.open(options(), new MemoryStore(), WAITING)) {
      engine.start(WAITING, "often", Context.of("n", 0));
      for (int i = 0; i < 2 * CaseCache.IDLE_MAX; i++) {
        engine.start(WAITING, "c" + i, Context.of("n", i));
        engine.status("often");
      }
      Shard shard = engine.shards().getFirst();
      shard.lock.lock();
      try {
        assertThat(shard.live.ready("often")).isNotNull();
        assertThat(shard.live.ready("c0")).isNull();
      } finally {
        shard.lock.unlock();
      }
    }
  }

  @Test
  void a_large_case_is_left_as_it_is() {
    try (Engine engine = Engine.open(options(), new MemoryStore(), WAITING)) {
      engine.start(WAITING, "large", Context.of("text", "x".repeat(FrozenCases.WEIGHT_MAX)));
      engine.start(WAITING, "small", Context.of("text", "x"));

      assertThat(freeze(engine)).isEqualTo(1);
    }
  }

  @Test
  void a_turn_that_breaks_on_a_thawed_case_is_undone() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    WorkflowDefinition breaking =
        workflow(
            "breaking",
            defer(
                on(
                    "go",
                    task(
                        "t",
                        c -> {
                          if (tries.incrementAndGet() == 1) {
                            throw new StackOverflowError();
                          }
                          return c;
                        }))));
    try (Engine engine = Engine.open(options(), new MemoryStore(), breaking)) {
      engine.start(breaking, "one", Context.empty());
      assertThat(freeze(engine)).isEqualTo(1);

      engine.signal("one", "go", Map.of("n", 1));

      assertThat(engine.await("one")).isEqualTo(new CaseResult.Completed<>(Context.of("n", 1)));
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void a_quarantined_case_keeps_its_evidence_when_it_is_frozen() {
    WorkflowDefinition breaking =
        workflow(
            "breaking",
            defer(
                on(
                    "go",
                    task(
                        "t",
                        _ -> {
                          throw new AssertionError("made up");
                        }))));
    try (Engine engine = Engine.open(options(), new MemoryStore(), breaking)) {
      engine.start(breaking, "one", Context.empty());
      try {
        engine.signal("one", "go", Map.of());
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageContaining("quarantined");
      }
      CaseView before = engine.status("one");

      assertThat(freeze(engine)).isEqualTo(1);

      assertThat(engine.status("one")).isEqualTo(before);
      assertThat(before.report().toString()).contains("made up");
      assertThat(engine.retry("one").kind()).isEqualTo(Reply.ACCEPTED);
    }
  }

  @Test
  void a_frozen_case_is_dropped_first_when_there_are_too_many_and_read_again() {
    try (Engine engine = Engine.open(options().withResidentMax(3), new MemoryStore(), WAITING)) {
      for (int i = 0; i < 3; i++) {
        engine.start(WAITING, "c" + i, Context.of("n", i));
      }
      assertThat(freeze(engine)).isEqualTo(3);
      engine.start(WAITING, "c3", Context.of("n", 3));
      engine.start(WAITING, "c4", Context.of("n", 4));
      Shard shard = engine.shards().getFirst();
      shard.lock.lock();
      try {
        assertThat(shard.live.contains("c0")).isFalse();
        assertThat(shard.live.contains("c1")).isFalse();
        assertThat(shard.live.contains("c2")).isTrue();
        assertThat(shard.live.ready("c4")).isNotNull();
      } finally {
        shard.lock.unlock();
      }
      assertThat(engine.status("c0").context()).isEqualTo(Context.of("n", 0));
    }
  }
}

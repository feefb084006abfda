package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseOptions;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.effect.Receipt;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.history.CaseObserver;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.task.Retry;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What is left of a case whose move broke: its last commit, and nothing of what came after it.
final class BrokenMoveTest {
  private static final Input GO = new Input.Signal("go", Context.empty());

  /// Breaks the move that applies it.
  private static final Input LATE = new Input.Signal("late", Context.empty());

  private final MemoryStore memory = new MemoryStore();
  private final ArrayDeque<Runnable> held = new ArrayDeque<>();
  private boolean holds;
  private boolean breaks;
  private final List<EffectCall> calls = new ArrayList<>();
  private Effects.@Nullable Sink sink;

  /// Commits wait while the test holds them, as on a slow disk.
  private final Store store =
      (Store)
          Proxy.newProxyInstance(
              Store.class.getClassLoader(),
              new Class<?>[] {Store.class},
              (_, method, arguments) -> {
                if (holds && method.getName().startsWith("commit")) {
                  CompletableFuture<Void> done = new CompletableFuture<>();
                  held.add(() -> {
                    memory.commit((CommitBatch) arguments[0]).join();
                    done.complete(null);
                  });
                  return done;
                }
                try {
                  return method.invoke(memory, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });

  private ManualEngine open(WorkflowDefinition... workflows) {
    var options =
        EngineOptions.defaults()
            .withShards(1)
            .withHandler("ask", _ -> null)
            .withWatch(new Breaking());
    return ManualEngine.open(options, store, this::effects, workflows);
  }

  private final class Breaking implements CaseObserver {
    @Override
    public void applied(String caseId, Input input) {
      if (input == LATE) {
        throw new AssertionError("made up");
      }
    }

    @Override
    public void ran(String caseId, int quantum) {
      if (breaks) {
        breaks = false;
        throw new AssertionError("made up");
      }
    }
  }

  private Effects effects(Effects.Sink reports) {
    sink = reports;
    return new Effects.None() {
      @Override
      public void start(EffectCall call, EffectHandler handler, boolean userKey) {
        calls.add(call);
      }
    };
  }

  private static void run(ManualEngine engine) {
    while (engine.turn()) {
      // until it rests
    }
  }

  private void release() {
    holds = false;
    while (!held.isEmpty()) {
      held.removeFirst().run();
    }
  }

  private CaseRecord stored() {
    return memory.record("one").orElseThrow();
  }

  private ManualEngine started(WorkflowDefinition... workflows) {
    ManualEngine engine = open(workflows);
    var _ = engine.start(workflows[0], "one", Context.empty(), CaseOptions.DEFAULT);
    run(engine);
    return engine;
  }

  @Test
  void a_message_that_a_broken_move_dropped_counts_when_it_comes_again() {
    var engine = started(workflow("w", defer(on("go", skip()))));
    holds = true;
    breaks = true;
    var dropped = engine.feed("one", GO, "m");
    run(engine);
    assertThat(dropped).isCompletedExceptionally();
    var _ = engine.retry("one");

    var again = engine.feed("one", GO, "m");
    run(engine);
    release();
    run(engine);

    assertThat(again).isCompletedWithValue(Reply.ACCEPTED);
    assertThat(stored().status()).isEqualTo(CaseStatus.COMPLETED);
  }

  @Test
  void an_effect_whose_intent_was_on_its_way_to_the_disk_survives_a_broken_move() {
    var engine = started(workflow("w", defer(on("go", effect("ask"))), defer(on("go", skip()))));
    holds = true;
    var _ = engine.feed("one", GO, null);
    run(engine);
    breaks = true;
    var _ = engine.feed("one", GO, null);
    run(engine);
    release();
    run(engine);

    assertThat(stored().status()).isEqualTo(CaseStatus.QUARANTINED);
    assertThat(memory.intents("one")).extracting(EffectIntent::task).containsExactly("ask");
    report(calls.getFirst());
    var _ = engine.retry("one");
    run(engine);
    var _ = engine.feed("one", GO, null);
    run(engine);
    assertThat(stored().status()).isEqualTo(CaseStatus.COMPLETED);
    assertThat(memory.intents("one")).isEmpty();
  }

  @Test
  void a_case_that_has_ended_is_never_quarantined() {
    var engine = started(workflow("w", defer(on("go", skip()))));
    var _ = engine.feed("one", GO, null);
    run(engine);
    CaseRecord ended = stored();
    var late = engine.feed("one", LATE, null);
    run(engine);

    assertThat(late).isCompletedExceptionally();
    assertThat(stored().status()).isEqualTo(CaseStatus.COMPLETED);
    assertThat(stored().state()).isEqualTo(ended.state());
  }

  @Test
  void the_caller_whose_input_broke_the_move_is_refused() {
    var engine = started(workflow("w", defer(on("go", skip()))));

    var broken = engine.feed("one", LATE, null);
    run(engine);

    assertThat(broken).isCompletedExceptionally();
    assertThat(stored().status()).isEqualTo(CaseStatus.QUARANTINED);
  }

  @Test
  void a_migration_that_broke_leaves_the_case_in_its_own_version() {
    var old = workflow("w", defer(on("go", skip())));
    var target = workflow("w", defer(on("go", skip())), effect("ask"));
    var engine = started(old, target);
    var before = stored().program();
    breaks = true;
    var broken = engine.migrate("one", target, Mapping.NONE);
    run(engine);

    assertThat(broken).isCompletedExceptionally();
    assertThat(stored().status()).isEqualTo(CaseStatus.QUARANTINED);
    assertThat(stored().program()).isEqualTo(before);
    var _ = engine.retry("one");
    var _ = engine.feed("one", GO, null);
    run(engine);
    assertThat(stored().status()).isEqualTo(CaseStatus.COMPLETED);
  }

  @Test
  void a_late_result_does_not_hide_why_a_case_is_quarantined() {
    var engine = started(workflow("w", effect("ask"), defer(on("go", skip()))));
    breaks = true;
    var _ = engine.feed("one", GO, null);
    run(engine);
    assertThat(stored().evidence()).contains("made up");

    report(calls.getFirst());
    run(engine);

    assertThat(stored().status()).isEqualTo(CaseStatus.QUARANTINED);
    assertThat(stored().evidence()).contains("made up");
  }

  @Test
  void a_case_that_is_being_removed_is_not_removed_twice() {
    var engine = started(workflow("w", skip()));
    holds = true;
    engine.sweep(Long.MAX_VALUE);
    run(engine);
    engine.sweep(Long.MAX_VALUE);
    run(engine);

    assertThat(held).hasSize(1);
    release();
    run(engine);
    assertThat(memory.record("one")).isEmpty();
  }

  /// A quarantine makes one attempt run twice; after the second run failed, another effect may have
  /// used the key.
  @Test
  void a_result_of_an_attempt_that_gave_its_user_key_away_is_not_the_result() {
    var pay =
        effect("pay", _ -> new EffectSpec("ask", Context.empty(), "own"), null)
            .retry(new Retry(2, Duration.ofMinutes(1), 1, 0));
    var engine = started(workflow("w", pay));
    EffectCall first = calls.getFirst();
    report(first, new EffectResult.Failed("down", ""));
    run(engine);

    report(first, new EffectResult.Ok(Context.of("paid", 1)));
    run(engine);

    assertThat(stored().status()).isEqualTo(CaseStatus.WAITING);
    assertThat(memory.receipts("one"))
        .extracting(receipt -> receipt.body().result())
        .containsExactly(
            new Receipt.Result.Failed("down", ""), new Receipt.Result.Late(Context.of("paid", 1)));
  }

  private void report(EffectCall call) {
    report(call, new EffectResult.Ok(Context.empty()));
  }

  private void report(EffectCall call, EffectResult result) {
    java.util.Objects.requireNonNull(sink).report(call, result);
  }
}

package dev.damask.script;

import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectIntent;
import dev.damask.history.History;
import dev.damask.history.HistoryPosition;
import dev.damask.store.MemoryStore;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.task.TaskOptions;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What is stored of scripts stays readable: the ids of steps, their intents, and their inputs in
/// the journal.
@Timeout(60)
final class ScriptRecordsTest {
  private static final long STEP_ID = 8_689_380_301_939_164_568L;
  private static final String STEP_INTENT =
      "00000000000000070303732f6101016103633a371200010474797065060158";

  @Test
  void the_id_of_a_step_never_changes() {
    EffectId script = new EffectId(42);

    assertThat(StepId.of(script, "fulfil/charge").lineage()).isEqualTo(STEP_ID);
    assertThat(StepId.of(script, "fulfil/charge#2"))
        .isNotEqualTo(StepId.of(script, "fulfil/charge"));
  }

  @Test
  void the_intent_of_a_step_has_one_bit_more() {
    Effect effect = new Effect(new EffectId(7), "s/a", 1, "a", "c:7");
    EffectIntent intent = EffectIntent.of(effect, 3, false, Delivery.READ, Context.of("type", "X"));

    assertThat(HexFormat.of().formatHex(intent.asStep().encode())).isEqualTo(STEP_INTENT);
    assertThat(EffectIntent.decode(intent.asStep().encode(), _ -> null)).isEqualTo(intent.asStep());
    assertThat(EffectIntent.decode(intent.encode(), _ -> null).step()).isFalse();
  }

  @Test
  void the_journal_has_the_steps_of_a_script_and_repeats_them() throws Exception {
    ScriptFunction function =
        (run, context) -> {
          run.step(
              ScriptStep.call(
                  "a", Context.empty(), TaskOptions.DEFAULT, _ -> Map.of("value", 1), null));
          run.step(ScriptStep.await("go", Duration.ofDays(1)));
          return context.with("done", true);
        };
    Term script = new Term.Task("s", new Term.Work.Pure(function, "s"), TaskOptions.DEFAULT, null);
    WorkflowDefinition flow =
        workflow("flow", script).withPlaces(Place.external(ScriptFunction.MAILBOX));

    try (Engine engine = Engine.open(EngineOptions.defaults(), new MemoryStore(), flow)) {
      var run = engine.start(flow, "c", Context.empty());
      run.signal("go");
      run.await();

      History history = engine.history("c");

      assertThat(history.positions().stream().map(HistoryPosition::text))
          .contains("started", "sent s/a", "result s/a", "sent s/await go", "result s/await go");
      assertThat(history.replay()).isEmpty();
    }
  }
}

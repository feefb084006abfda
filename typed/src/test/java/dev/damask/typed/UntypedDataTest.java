package dev.damask.typed;

import static dev.damask.typed.Steps.defer;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.on;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.Actor;
import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.effect.EffectException;
import dev.damask.ops.Incident;
import dev.damask.task.OnExhausted;
import dev.damask.term.Flow;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Data that reaches a typed workflow without its types: over HTTP, from the command line, or from
/// a caller that has only names. What could not be read back is refused and not stored.
@Timeout(30)
final class UntypedDataTest {
  record Order(String customer) {}

  record Parcel(String label) {}

  private static final Key<Order> ORDER = Key.of(Order.class);
  private static final Key<Parcel> PARCEL = Key.of(Parcel.class);
  private static final Signal<Parcel> FOUND = Signal.of("found", Parcel.class);
  private static final String WRONG = "label: a String is expected, found the integer 7";

  private static Map<String, Object> one(String key, String name, Object value) {
    return Map.of(key, Map.of(name, value));
  }

  @Test
  void a_start_is_refused_with_the_path() {
    Workflow<Order, Context> flow = workflow("w", ORDER, defer(on(FOUND)));

    try (Engine engine = Engine.open(flow)) {
      assertThatThrownBy(() ->
              engine.start(flow.definition(), "one", Context.from(one("order", "customer", 7))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("order.customer: a String is expected, found the integer 7");
      assertThatThrownBy(() -> engine.start(flow.definition(), "one", Context.empty()))
          .hasMessageContaining("order: missing");
      assertThatThrownBy(() -> engine.status("one")).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void a_signal_is_refused_with_the_path_also_while_the_case_is_paused() throws Exception {
    Workflow<Order, Context> flow = workflow("w", ORDER, defer(on(FOUND)));

    try (Engine engine = Engine.open(flow)) {
      Run<Context> run = engine.start(flow, "one", new Order("acme"));
      assertThatThrownBy(() -> run.signal("found", one("found", "label", 7)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("case one: signal found: found." + WRONG);
      engine.pause("one", "a look");
      assertThatThrownBy(() -> engine.signal("one", "found", Map.of()))
          .hasMessageContaining("signal found: found: missing");
      engine.resume("one");
      assertThat(run.status().places()).contains("found");

      run.signal("found", one("found", "label", "x"));

      assertThat(run.await()).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void a_result_is_refused_with_the_path_as_an_answer_and_for_an_incident() throws Exception {
    Workflow<Order, Parcel> flow =
        workflow(
            "w",
            ORDER,
            PARCEL,
            effect("find", ORDER, UntypedDataTest::lost).as(PARCEL).onExhausted(OnExhausted.PARK));

    try (Engine engine = Engine.open(flow)) {
      Run<Parcel> run = engine.start(flow, "one", new Order("acme"));
      while (engine.incidents().list().isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
      Incident incident = engine.incidents().list().getFirst();

      assertThatThrownBy(() -> engine.completeTask("one", "find", one("parcel", "label", 7)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("case one: the result of task find: parcel." + WRONG);
      assertThatThrownBy(() ->
              engine.as(
                  Actor.named("eve"),
                  e -> e.incidents().skip("one", incident.id(), Map.of("label", "x"))))
          .hasMessageContaining("parcel: missing");
      assertThat(engine.incidents().list()).hasSize(1);

      engine.incidents().skip("one", incident.id(), one("parcel", "label", "x"));

      assertThat(run.join()).isEqualTo(new Parcel("x"));
    }
  }

  private static Parcel lost(Order order) throws EffectException {
    throw new EffectException("lost", order.customer());
  }

  @Test
  void a_result_that_does_not_fit_its_key_fails_the_case() throws Exception {
    Workflow<Order, Parcel> flow =
        workflow(
            "w", ORDER, PARCEL, effect("find", ORDER, o -> new Parcel(o.customer())).as(PARCEL));
    var broken =
        Flow.workflow("w", Flow.task("find", context -> context.with("parcel", 7)))
            .withDeclared(flow.definition().declared());

    try (Engine engine = Engine.open(broken)) {
      Run<Context> run =
          engine.start(broken, "one", Context.from(one("order", "customer", "acme")));

      assertThat(run.await().toString()).contains("the result does not fit: parcel");
    }
  }
}

package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.SignalOptions;
import dev.damask.effect.EffectHandler;
import dev.damask.family.ChildCase;
import dev.damask.store.MemoryStore;
import dev.damask.term.Term;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The tracing context of a case reaches its handlers.
@Timeout(20)
final class TraceparentTest {
  private static final String START = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  private static final String LATER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private final MemoryStore store = new MemoryStore();
  private final List<String> seen = new CopyOnWriteArrayList<>();

  private Term.Task noting(String name) {
    return effect(
        name,
        EffectHandler.withCall(call -> {
          seen.add(name + " " + call.traceparent().orElse("none"));
          return Map.of();
        }));
  }

  @Test
  void the_context_of_the_start_is_stored_and_that_of_a_signal_replaces_it() throws Exception {
    var flow =
        workflow("w", noting("a"), defer(on("go", noting("b"))), defer(on("on", noting("c"))));
    CaseOptions own = CaseOptions.DEFAULT.withTraceparent(START);
    try (var engine = Engine.open(EngineOptions.defaults(), store, flow)) {
      engine.start(flow, "one", Context.empty(), own);
      while (engine.status("one").places().isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
    }

    try (var engine = Engine.open(EngineOptions.defaults(), store.reopened(), flow)) {
      engine.signal("one", "go", Map.of());
      while (!engine.status("one").places().equals(List.of("on"))) {
        LockSupport.parkNanos(100_000);
      }
      engine.signal("one", "on", Map.of(), SignalOptions.NONE.withTraceparent(LATER));
      engine.await("one");
    }

    assertThat(seen).containsExactly("a " + START, "b " + START, "c " + LATER);
  }

  @Test
  void child_cases_and_their_children_continue_the_context_of_the_parent() throws Exception {
    var inner = workflow("inner", noting("b"));
    var outer = workflow("outer", noting("a"), ChildCase.task("deeper", inner));
    var parent = workflow("parent", ChildCase.task("run", outer));
    try (var engine = Engine.open(EngineOptions.defaults(), store, parent)) {
      engine.start(parent, "one", Context.empty(), CaseOptions.DEFAULT.withTraceparent(START));
      engine.await("one");
      engine.start(parent, "two", Context.empty());
      engine.await("two");
    }

    assertThat(seen).containsExactly("a " + START, "b " + START, "a none", "b none");
  }

  @Test
  void a_call_passes_its_context_and_a_malformed_one_is_refused() {
    var flow = workflow("w", noting("a"));
    try (var engine = Engine.open(EngineOptions.defaults(), store, flow)) {
      engine.call(flow, Context.empty(), CaseOptions.DEFAULT.withTraceparent(START));
      engine.call(flow, Context.empty());
    }

    assertThat(seen).containsExactly("a " + START, "a none");
    assertThatThrownBy(() -> CaseOptions.DEFAULT.withTraceparent("00-0-0-0"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("traceparent must have the form")
        .hasMessageEndingWith("got '00-0-0-0'");
    assertThatThrownBy(() -> SignalOptions.NONE.withTraceparent(START.replace("0af7", "0AF7")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

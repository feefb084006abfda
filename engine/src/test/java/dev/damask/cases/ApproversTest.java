package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.park;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.Actor;
import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.Approval;
import dev.damask.effect.EffectCall;
import dev.damask.event.Reply;
import dev.damask.ops.Incident;
import dev.damask.ops.IncidentQuery;
import dev.damask.store.MemoryStore;
import dev.damask.task.EffectId;
import dev.damask.task.Retry;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// An approval names who may decide, and no other answer counts, whichever way it comes in.
@Timeout(20)
final class ApproversTest {
  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final List<String> calls = new CopyOnWriteArrayList<>();

  private EngineOptions options() {
    return EngineOptions.defaults()
        .withShards(1)
        .withClock(clock)
        .withGrace(Duration.ofMillis(20))
        .withHandler("pay", this::perform)
        .withApproval("pay", Approval.of("pay?").withApprovers("eve"));
  }

  private Map<String, Object> perform(EffectCall call) {
    calls.add(call.task());
    return Map.of();
  }

  private static Term.Task ask() {
    Context with =
        Context.of("approvers", List.of("eve", "bob"), "within", "PT1H")
            .with("onTimeout", "escalate");
    return effect("ask", _ -> new EffectSpec(Approval.TYPE, with, null), null)
        .retry(new Retry(2, Duration.ofHours(2), 1.0, 0.0))
        .onExhausted(park());
  }

  private static EffectId task(Engine engine) {
    return engine.status("one").tasks().getFirst().id();
  }

  private static void refuses(CaseReply reply) {
    assertThat(reply.kind()).isEqualTo(Reply.REJECTED);
  }

  /// Every answer of somebody who is no approver.
  private void nobodyElse(Engine engine) {
    EffectId task = task(engine);
    refuses(engine.decide("one", task, true, "mallory"));
    refuses(engine.decide("one", task, false, "mallory"));
    refuses(engine.completeTask("one", task, Map.of("approved", true, "by", "mallory")));
    refuses(engine.completeTask("one", task, Map.of("approved", true)));
    refuses(engine.completeTask("one", task, Map.of("by", List.of("eve"))));
    refuses(engine.completeTask("one", "ask", Map.of("approved", true)));
    refuses(engine.failTask("one", task, "no"));
    refuses(engine.failTask("one", "ask#1", "no"));
    refuses(engine.complete("one", "ask"));
    refuses(engine.complete("one", "ask#1"));
    assertThat(engine.incidents().skip("one", task, Map.of("by", "mallory")).isAccepted())
        .isFalse();
    assertThat(engine.run("one").completeTask(task, Map.of()).kind()).isEqualTo(Reply.REJECTED);
    assertThat(task(engine)).isEqualTo(task);
  }

  @BeforeEach
  void nothingIsCalled() {
    assertThat(calls).isEmpty();
  }

  @Test
  void nobody_but_an_approver_answers_an_approval_while_it_waits() throws Exception {
    var flow = workflow("w", scope("region", ScopeOptions.NONE, ask()));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());

      nobodyElse(engine);

      assertThat(engine.decide("one", task(engine), true, "bob").kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void nobody_answers_it_between_two_attempts_or_while_it_is_an_incident() throws Exception {
    var flow = workflow("w", ask());
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      clock.advance(Duration.ofHours(1).toMillis());
      while (engine.status("one").tasks().getFirst().notBefore().isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
      EffectId task = task(engine);
      refuses(engine.completeTask("one", task, Map.of("approved", true, "by", "mallory")));
      refuses(engine.decide("one", task, true, "mallory"));
      refuses(engine.complete("one", "ask"));
      clock.advance(Duration.ofHours(2).toMillis());
      clock.advance(Duration.ofHours(1).toMillis());
      while (engine.incidents().list().isEmpty()) {
        clock.advance(1);
      }

      refuses(engine.incidents().skip("one", task, Map.of("approved", true, "by", "mallory")));
      refuses(engine.completeTask("one", task, Map.of("approved", true)));
      refuses(engine.complete("one", "ask"));
      assertThat(engine.incidents().skip("one", task, Map.of("approved", true, "by", "eve")).kind())
          .isEqualTo(Reply.ACCEPTED);
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void whoever_acts_decides_an_incident_and_never_a_name_in_the_result() throws Exception {
    var flow = workflow("w", ask());
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      while (engine.incidents().list().isEmpty()) {
        clock.advance(Duration.ofHours(1).toMillis());
        LockSupport.parkNanos(100_000);
      }
      EffectId task = task(engine);
      Map<String, Object> forged = Map.of("approved", true, "by", "eve");
      Actor mallory = Actor.named("mallory");
      refuses(engine.as(mallory, e -> e.incidents().skip("one", task, forged)));
      refuses(engine.as(mallory, e -> e.completeTask("one", task, forged)));
      refuses(engine.as(mallory, e -> e.decide("one", task, true, "eve")));
      refuses(engine.as(mallory, e -> e.incidents().fail("one", task, "no")));
      refuses(engine.as(mallory, e -> e.failTask("one", task, "no")));
      List<Incident> skipped =
          engine.as(mallory, e -> e.incidents().skipAll(IncidentQuery.ALL, forged));
      List<Incident> failed = engine.as(mallory, e -> e.incidents().failAll(IncidentQuery.ALL, ""));
      assertThat(skipped).isEmpty();
      assertThat(failed).isEmpty();
      refuses(engine.incidents().fail("one", task, "no"));
      engine.pause("one", "a look");
      engine.as(mallory, e -> e.incidents().skip("one", task, forged));
      engine.resume("one");
      assertThat(engine.incidents().list()).hasSize(1);

      Map<String, Object> other = Map.of("approved", true, "by", "mallory");
      var reply = engine.as(Actor.named("eve"), e -> e.incidents().skip("one", task, other));

      assertThat(reply.kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.await("one"))
          .isInstanceOfSatisfying(
              CaseResult.Completed.class,
              end -> assertThat(((Context) end.result()).toString()).contains("eve"));
    }
  }

  @Test
  void an_effect_that_needs_an_approval_has_no_result_before_it_is_approved() throws Exception {
    var flow = workflow("w", effect("ask", _ -> EffectSpec.of("pay"), null));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());

      nobodyElse(engine);
      refuses(engine.completeTask("one", task(engine), Map.of("approved", true, "by", "eve")));
      assertThat(calls).isEmpty();

      engine.decide("one", task(engine), true, "eve");
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(calls).containsExactly("ask");
    }
  }

  @Test
  void an_engine_without_the_approval_accepts_no_answer_for_an_effect_that_waits_for_it() {
    var flow = workflow("w", effect("ask", _ -> EffectSpec.of("pay"), null));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
    }

    var other = EngineOptions.defaults().withHandler("pay", this::perform);
    try (var engine = Engine.open(other, store.reopened(), flow)) {
      nobodyElse(engine);
      refuses(engine.decide("one", task(engine), true, "eve"));
    }
    assertThat(calls).isEmpty();
  }
}

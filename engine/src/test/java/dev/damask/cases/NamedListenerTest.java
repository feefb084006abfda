package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.clock.VirtualClock;
import dev.damask.compile.Compiler;
import dev.damask.ops.ScopeCancelled;
import dev.damask.store.MemoryStore;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Listeners that scopes name: notified once per cancelled activation, whatever cancels it.
@Timeout(20)
final class NamedListenerTest {
  private static final ScopeCancelled EVENT = new ScopeCancelled("one", "R");

  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000);
  private final LinkedBlockingQueue<ScopeCancelled> heard = new LinkedBlockingQueue<>();

  private EngineOptions options() {
    return EngineOptions.defaults()
        .withShards(1)
        .withClock(clock)
        .withGrace(Duration.ofMillis(20))
        .withNamedListener("alarm", heard::add);
  }

  private static Term notifying(ScopeOptions options, Term body) {
    return new Term.Cancel("R", List.of(), options.notifying("alarm"), body);
  }

  /// Plays a story and returns what the listener received until the case had ended.
  private List<ScopeCancelled> story(
      WorkflowDefinition flow, java.util.function.Consumer<Run<Context>> events)
      throws InterruptedException {
    try (var engine = Engine.open(options(), store, flow)) {
      Run<Context> run = engine.start(flow, "one", Context.empty());
      events.accept(run);
      run.cancel(); // ends what still waits
      run.await();
    }
    List<ScopeCancelled> all = new java.util.ArrayList<>();
    heard.drainTo(all); // closing the engine has waited for its listeners
    return all;
  }

  @Test
  void a_kill_from_outside_is_notified_once() throws InterruptedException {
    Term body = par(effect("A"), effect("B"));

    assertThat(story(workflow("w", notifying(ScopeOptions.NONE, body)), run -> run.cancel("R")))
        .containsExactly(EVENT);
  }

  @Test
  void a_kill_by_the_workflow_is_notified() throws InterruptedException {
    Term killing = kill("R");
    WorkflowDefinition flow =
        workflow("w", par(notifying(ScopeOptions.NONE, effect("A")), seq(effect("B"), killing)));

    assertThat(story(flow, run -> run.completeTask("B", Map.of()))).containsExactly(EVENT);
  }

  @Test
  void a_timeout_is_notified() throws InterruptedException {
    ScopeOptions timed = new ScopeOptions(Duration.ofHours(1), skip(), null, false, null);

    assertThat(
            story(
                workflow("w", notifying(timed, effect("A"))),
                run -> {
                  clock.advance(Duration.ofHours(1).toMillis());
                  run.status();
                }))
        .containsExactly(EVENT);
  }

  @Test
  void a_failure_is_notified_also_one_that_the_scope_catches() throws InterruptedException {
    ScopeOptions catching = ScopeOptions.catching(skip());
    WorkflowDefinition flow = workflow("w", notifying(catching, par(effect("A"), effect("B"))));

    assertThat(story(flow, run -> run.failTask("A", "broken"))).containsExactly(EVENT);
  }

  @Test
  void a_failure_of_the_case_is_notified() throws InterruptedException {
    WorkflowDefinition flow =
        workflow(
            "w", par(notifying(ScopeOptions.NONE, effect("A")), seq(effect("B"), fail("broken"))));

    assertThat(story(flow, run -> run.completeTask("B", Map.of()))).containsExactly(EVENT);
  }

  @Test
  void the_cancellation_of_the_case_is_notified_once_also_while_the_scope_is_undone()
      throws InterruptedException {
    Term undoable = effect("A").undo(effect("undoA"));
    WorkflowDefinition flow =
        workflow("w", notifying(ScopeOptions.undoing(), seq(undoable, effect("B"))));

    assertThat(
            story(
                flow,
                run -> {
                  run.completeTask("A", Map.of());
                  run.cancel("R");
                  run.cancel("case");
                  run.completeTask("undoA", Map.of());
                }))
        .containsExactly(EVENT);
  }

  @Test
  void a_scope_that_completes_notifies_nobody() throws InterruptedException {
    WorkflowDefinition flow = workflow("w", notifying(ScopeOptions.NONE, effect("A")), effect("C"));

    assertThat(story(flow, run -> run.completeTask("A", Map.of()))).isEmpty();
  }

  @Test
  void an_unknown_name_is_reported_when_the_engine_opens_and_the_case_runs() throws Exception {
    WorkflowDefinition flow = workflow("w", notifying(ScopeOptions.NONE, effect("A")));
    EngineOptions none = EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(20));
    try (var engine = Engine.open(none, store, flow)) {
      assertThat(engine.unknownListeners())
          .containsExactly(
              "workflow w: scope R notifies listener 'alarm', which is not registered");
      Run<Context> run = engine.start(flow, "one", Context.empty());
      run.cancel("R");
      assertThat(run.await()).isInstanceOf(CaseResult.Cancelled.class);
    }
    try (var engine = Engine.open(options(), new MemoryStore(), flow)) {
      assertThat(engine.unknownListeners()).isEmpty();
    }
  }

  @Test
  void the_name_of_a_listener_is_part_of_the_program_only_where_there_is_one() {
    WorkflowDefinition plain = workflow("w", scope("R", effect("A")));
    WorkflowDefinition named = workflow("w", notifying(ScopeOptions.NONE, effect("A")));

    assertThat(Compiler.compile(named).hash()).isNotEqualTo(Compiler.compile(plain).hash());
  }
}

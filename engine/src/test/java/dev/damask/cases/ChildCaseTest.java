package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.set;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseFailedException;
import dev.damask.caller.CaseResult;
import dev.damask.caller.PendingTask;
import dev.damask.effect.Approval;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.event.Failure;
import dev.damask.family.CaseFamily;
import dev.damask.family.ChildCase;
import dev.damask.intake.ChildRow;
import dev.damask.intake.FamilyMessage;
import dev.damask.intake.Replies;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.task.ChildTemplate;
import dev.damask.task.EffectFunction;
import dev.damask.task.EffectTemplate;
import dev.damask.task.Expression;
import dev.damask.task.TaskOptions;
import dev.damask.term.InstancePolicy;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Cases that start other cases, on an engine with several shards.
@Timeout(60)
final class ChildCaseTest {
  private static final WorkflowDefinition WAITING =
      workflow("waiting", defer(on("go", skip())), set("answer", Expression.constant(42)));
  private static final WorkflowDefinition PARENT =
      workflow("parent", ChildCase.task("run", WAITING), set("done", Expression.constant(true)));
  private static final EngineOptions OPTIONS = EngineOptions.defaults().withShards(4);

  private final MemoryStore store = new MemoryStore();

  private Engine open(WorkflowDefinition... workflows) {
    return Engine.open(OPTIONS, store, workflows);
  }

  /// A child that is named, as documents name it.
  private static Term.Task named(String workflow) {
    ChildTemplate template =
        new ChildTemplate() {
          @Override
          public String workflow() {
            return workflow;
          }

          @Override
          public EffectSpec specFor(Context context) {
            return new EffectSpec(TYPE, Context.of(WORKFLOW, workflow), null);
          }

          @Override
          public String text() {
            return "child " + workflow;
          }
        };
    Term.Work work = new Term.Work.Effect(template, null);
    return new Term.Task(workflow, work, TaskOptions.DEFAULT, null);
  }

  /// Waits until the messages of all cases are applied.
  private static void delivered(Engine engine) {
    while (!engine.store.table().rows(FamilyMessage.KIND, null, 1).isEmpty()) {
      LockSupport.parkNanos(100_000);
    }
  }

  private static String onlyChild(Engine engine, String parent) {
    delivered(engine);
    return engine.family(parent).children().getFirst().caseId();
  }

  @Test
  void parent_and_child_know_each_other() {
    try (Engine engine = open(PARENT)) {
      engine.start(PARENT, "p", Context.empty());
      String child = onlyChild(engine, "p");

      CaseFamily.Child known = engine.family("p").children().getFirst();
      assertThat(known.workflow()).isEqualTo("waiting");
      assertThat(known.taskName()).isEqualTo("run");
      assertThat(known.status()).contains(CaseStatus.WAITING);
      assertThat(known.isDetached()).isFalse();
      CaseFamily.Parent parent = engine.family(child).parent().orElseThrow();
      assertThat(parent.caseId()).isEqualTo("p");
      assertThat(parent.task()).isEqualTo(known.task());
      assertThat(engine.status("p").tasks().getFirst().key()).isEqualTo(child);
      assertThat(engine.family("p").parent()).isEmpty();
    }
  }

  @Test
  void a_parent_that_waits_for_its_child_leaves_memory() {
    EngineOptions small = OPTIONS.withShards(1).withResidentMax(1);
    try (Engine engine = Engine.open(small, store, PARENT)) {
      for (int i = 0; i < 20; i++) {
        engine.start(PARENT, "p" + i, Context.empty());
      }
      delivered(engine);
      engine.start(workflow("last", skip()), "last", Context.empty());

      assertThat(engine.statistics().resident()).isLessThan(5);
      for (int i = 0; i < 20; i++) {
        String child = engine.family("p" + i).children().getFirst().caseId();
        engine.signal(child, "go", Map.of());
      }
      for (int i = 0; i < 20; i++) {
        assertThat(engine.run("p" + i).join().get("answer")).isEqualTo(42L);
      }
    }
  }

  @Test
  void a_child_adds_no_commit_to_either_side() {
    WorkflowDefinition quick = workflow("quick", effect("work"));
    WorkflowDefinition parent = workflow("parent", ChildCase.task("run", quick));
    try (Engine engine =
        Engine.open(
            OPTIONS.withHandler("work", _ -> null),
            store,
            parent,
            workflow("alone", effect("work")))) {
      engine.start(parent, "p", Context.empty()).join();
      engine.start(quick, "alone", Context.empty()).join();
      String child = onlyChild(engine, "p");

      assertThat(engine.read("p").record().revision()).isEqualTo(2);
      assertThat(engine.read(child).record().revision())
          .isEqualTo(engine.read("alone").record().revision());
    }
  }

  @Test
  void a_task_that_was_completed_by_a_caller_cancels_its_child() throws Exception {
    try (Engine engine = open(PARENT)) {
      Run<Context> run = engine.start(PARENT, "p", Context.empty());
      String child = onlyChild(engine, "p");
      engine.completeTask("p", "run", Map.of("answer", 1));

      assertThat(run.join().get("answer")).isEqualTo(1L);
      assertThat(engine.await(child))
          .isInstanceOfSatisfying(
              CaseResult.Cancelled.class,
              e -> assertThat(e.reason()).isEqualTo("cancelled with case p"));
    }
  }

  @Test
  void a_child_that_starts_itself_without_end_is_refused_at_the_limit_of_calls() {
    WorkflowDefinition endless = workflow("endless", named("endless"));
    try (Engine engine = open(endless)) {
      assertThatThrownBy(() -> engine.start(endless, "e", Context.empty()).join())
          .isInstanceOf(CaseFailedException.class)
          .hasMessageContaining("chain of child cases, its limit callDepth is 50")
          .hasMessageContaining("workflow endless must not start itself without end");
      assertThat(engine.list(CaseQuery.ALL.withPage("", 200)).cases())
          .hasSize(51)
          .allMatch(each -> each.status() == CaseStatus.FAILED)
          .allMatch(each -> each.caseId().length() <= Replies.ID_MAX);
    }
  }

  @Test
  void a_call_refuses_a_workflow_with_a_child() {
    try (Engine engine = open()) {
      assertThatThrownBy(() -> engine.call(PARENT, Context.empty()))
          .hasMessageContaining("task 'run' starts a child case; start a case");
      assertThatThrownBy(() -> engine.call(workflow("w", named("x")), Context.empty()))
          .hasMessageContaining("task 'x' starts a child case; start a case");
    }
  }

  @Test
  void a_child_of_an_unknown_workflow_waits_until_it_is_registered() {
    WorkflowDefinition parent = workflow("parent", named("later"));
    WorkflowDefinition later = workflow("later", set("answer", Expression.constant(7)));
    try (Engine engine = open(parent)) {
      engine.start(parent, "p", Context.empty());
      assertThat(engine.family("p").children().getFirst().status()).isEmpty();
      engine.register(later);

      assertThat(engine.run("p").join().get("answer")).isEqualTo(7L);
    }
  }

  @Test
  void a_child_that_was_cancelled_before_its_workflow_was_known_never_starts() {
    WorkflowDefinition parent = workflow("parent", named("later"));
    try (Engine engine = open(parent)) {
      engine.start(parent, "p", Context.empty());
      engine.cancel("p");
      delivered(engine);
      engine.register(workflow("later", skip()));

      assertThat(engine.list(CaseQuery.ALL.withWorkflow("later")).cases()).isEmpty();
    }
  }

  @Test
  void a_child_may_use_the_effect_types_that_its_task_may_use() {
    WorkflowDefinition paying = workflow("paying", effect("pay"));
    ScopeOptions scope = new ScopeOptions(null, null, null, false, List.of("child", "log"), null);
    WorkflowDefinition parent =
        workflow("parent", scope("s", scope, ChildCase.task("run", paying)));
    try (Engine engine = Engine.open(OPTIONS.withHandler("pay", _ -> null), store, parent)) {
      assertThatThrownBy(() -> engine.start(parent, "p", Context.empty()).join())
          .hasMessageContaining("[child, log]")
          .hasMessageContaining(Failure.NOT_ALLOWED);
    }
  }

  @Test
  void a_child_that_needs_an_approval_starts_when_it_is_approved() {
    EngineOptions approved = OPTIONS.withApproval("child", Approval.of("start it?"));
    try (Engine engine = Engine.open(approved, store, PARENT)) {
      engine.start(PARENT, "p", Context.empty());
      PendingTask task = engine.status("p").tasks().getFirst();
      assertThat(task.held()).isEqualTo(EffectIntent.Held.FOR_DECISION);
      assertThat(engine.family("p").children()).isEmpty();
      engine.decide("p", task.id(), true, "eve");
      engine.signal(onlyChild(engine, "p"), "go", Map.of());

      assertThat(engine.run("p").join().get("answer")).isEqualTo(42L);
    }
  }

  @Test
  void the_end_of_a_child_waits_for_a_quarantined_parent() {
    AtomicBoolean isBroken = new AtomicBoolean();
    WorkflowDefinition parent =
        workflow(
            "parent",
            par(
                ChildCase.task("run", WAITING),
                defer(on("break", task("fall", c -> broken(isBroken, c))))));
    try (Engine engine = open(parent)) {
      engine.start(parent, "p", Context.empty());
      String child = onlyChild(engine, "p");
      isBroken.set(true);
      assertThatThrownBy(() -> engine.signal("p", "break", Map.of()))
          .hasMessageContaining("quarantined");
      engine.signal(child, "go", Map.of());
      assertThat(engine.store.table().rows(FamilyMessage.KIND, null, 9)).hasSize(1);
      isBroken.set(false);
      engine.retry("p");
      engine.signal("p", "break", Map.of());

      assertThat(engine.run("p").join().get("answer")).isEqualTo(42L);
      delivered(engine);
    }
  }

  private static Context broken(AtomicBoolean isBroken, Context context) {
    if (isBroken.get()) {
      throw new StackOverflowError("planted");
    }
    return context;
  }

  @Test
  void the_rows_of_a_family_go_with_the_parent() {
    WorkflowDefinition quick = workflow("quick", skip());
    WorkflowDefinition parent =
        workflow("parent", instances("m", InstancePolicy.fixed(3), ChildCase.task("run", quick)));
    try (Engine engine = open(parent)) {
      engine.start(parent, "p", Context.empty()).join();
      delivered(engine);
      assertThat(store.table().rows(ChildRow.KIND, null, 9)).hasSize(3);

      assertThat(engine.remove("p", Long.MAX_VALUE).join()).isTrue();

      assertThat(store.table().rows(ChildRow.KIND, null, 9)).isEmpty();
      assertThat(store.ids("")).hasSize(3);
    }
  }

  @Test
  void a_child_that_an_engine_of_an_earlier_version_started_is_adopted() throws Exception {
    AtomicReference<Engine> current = new AtomicReference<>();
    CountDownLatch started = new CountDownLatch(1);
    EffectHandler before =
        call -> {
          String id = call.caseId() + ":" + call.id();
          current.get().start(WAITING, id, call.context());
          started.countDown();
          new CountDownLatch(1).await(); // until the engine interrupts it
          return null;
        };
    WorkflowDefinition same =
        workflow(
            "parent",
            new Term.Task(
                "run", new Term.Work.Effect(OLD, new Before(before)), TaskOptions.DEFAULT, null),
            set("done", Expression.constant(true)));
    String child;
    try (Engine engine = Engine.open(OPTIONS.withGrace(Duration.ZERO), store, same)) {
      current.set(engine);
      engine.start(same, "p", Context.empty());
      started.await();
      child = engine.list(CaseQuery.ALL.withWorkflow("waiting")).cases().getFirst().caseId();
    }

    try (Engine engine = open(PARENT)) {
      while (engine.family("p").children().isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(onlyChild(engine, "p")).isEqualTo(child);
      assertThat(engine.family(child).parent()).isPresent();
      engine.signal(child, "go", Map.of());

      assertThat(engine.run("p").join().get("answer")).isEqualTo(42L);
    }
  }

  private record Before(EffectHandler handler) implements EffectHandler, EffectFunction {
    @Override
    public @Nullable Object call(Context context) {
      throw new IllegalStateException("a handler gets the whole call");
    }

    @Override
    public @Nullable Object call(EffectCall call) throws Exception {
      return handler.call(call);
    }
  }

  /// A template of the same program that does not start children by itself.
  private static final EffectTemplate OLD =
      new EffectTemplate() {
        @Override
        public EffectSpec specFor(Context context) {
          return EffectSpec.of("child");
        }

        @Override
        public String type() {
          return "child";
        }

        @Override
        public String text() {
          return "child waiting";
        }
      };
}

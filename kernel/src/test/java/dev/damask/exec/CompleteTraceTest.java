package dev.damask.exec;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;
import static dev.damask.term.Flow.xor;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.Input;
import dev.damask.event.TokenId;
import dev.damask.event.TraceEvent;
import dev.damask.event.Tracer;
import dev.damask.program.Code;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.state.Frame;
import dev.damask.state.Token;
import dev.damask.task.Guard;
import dev.damask.term.Alternative;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Merge;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.TaskResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// A trace leaves nothing out: the events at level full are the steps, and tokens move as they say.
final class CompleteTraceTest {
  private static final int SEEDS = Integer.getInteger("damask.seeds", 300);
  private static final long FIRST = Long.getLong("damask.seed", 0);
  private static final int EVENTS = 25;
  private static final int FIRST_TOKEN = 2;
  private static final Guard NEVER = Guard.named("never", context -> false);

  @Test
  void at_level_full_every_step_is_one_event_and_tokens_are_where_the_events_say() {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      Program program = Compiler.compile(new RandomTerms(seed, false).workflow());
      for (Play.Style style : Play.Style.ALL) {
        SplittableRandom random = new SplittableRandom(seed);
        Play play = new Play(program, style, Context.empty());
        requireComplete(seed, play);
        for (int i = 0; i < EVENTS && !play.state.isDone(); i++) {
          RandomTermsTest.event(random, play);
          requireComplete(seed, play);
        }
      }
    }
  }

  static void requireComplete(long seed, Play play) {
    long reductions = play.events().stream().filter(TraceEvent::isReduction).count();
    assertThat(reductions)
        .as("seed %s, %s: reductions and steps", seed, play.style)
        .isEqualTo(play.state.steps());
    assertThat(follow(seed, play))
        .as("seed %s, %s: tokens", seed, play.style)
        .isEqualTo(live(play));
  }

  /// The address of every token, as the events tell it.
  private static TreeMap<Integer, Integer> follow(long seed, Play play) {
    TreeMap<Integer, Integer> at = new TreeMap<>();
    Program.Image image = play.style.raw() ? play.program.raw() : play.program.fast();
    at.put(FIRST_TOKEN, image.entry());
    for (TraceEvent event : play.events()) {
      switch (event.kind()) {
        case CREATED -> assertThat(at.put(event.token(), event.after())).isNull();
        case REMOVED -> // an instruction such as a kill moves its token first
            assertThat(at.remove(event.token())).as("seed %s: %s", seed, event).isNotNull();
        case STEP, RAN, PASSED -> {
          if (event.after() >= 0) {
            assertThat(at.put(event.token(), event.after()))
                .as("seed %s: %s", seed, event)
                .isEqualTo(event.before());
          }
        }
        case ASKED, STOPPED ->
            assertThat(at.get(event.token()))
                .as("seed %s: %s", seed, event)
                .isEqualTo(event.before());
        case COMPLETED ->
            assertThat(at.put(event.token(), event.before() + Code.length(Code.EFFECT_YIELD)))
                .isEqualTo(event.before());
        default -> {}
      }
    }
    return at;
  }

  private static TreeMap<Integer, Integer> live(Play play) {
    TreeMap<Integer, Integer> live = new TreeMap<>();
    List<Frame> frames = new ArrayList<>(List.of(play.state.root));
    for (int i = 0; i < frames.size(); i++) {
      frames.addAll(frames.get(i).childList());
      for (Token token = frames.get(i).firstToken; token != null; token = token.next) {
        live.put(token.id, token.ip);
      }
    }
    return live;
  }

  @Test
  void at_level_min_the_trace_is_what_the_full_one_shows_of_it() {
    for (long seed = FIRST; seed < FIRST + SEEDS / 3; seed++) {
      Program program = Compiler.compile(new RandomTerms(seed, false).workflow());
      Play play = new Play(program, Play.Style.PLAIN, Context.empty());
      List<TraceEvent> minimal = new ArrayList<>();
      Machine machine = machine(program, minimal);
      ExecState state = machine.start(Context.empty(), 0);
      machine.run(state, Integer.MAX_VALUE);

      assertThat(minimal)
          .as("seed %s", seed)
          .isEqualTo(play.events().stream().filter(e -> e.kind().isMinimal()).toList());
      if (state.failure().isPresent()) {
        String reason = state.failure().get().reason();
        assertThat(minimal)
            .as("seed %s", seed)
            .anyMatch(e -> e.kind() == TraceEvent.Kind.RAISED && e.detail().equals(reason));
      }
    }
  }

  private static Machine machine(Program program, List<TraceEvent> events) {
    Tracer tracer =
        new Tracer() {
          @Override
          public void accept(TraceEvent event) {
            events.add(event);
          }

          @Override
          public boolean wantsAll() {
            return false;
          }
        };
    return new Machine(
        program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, tracer));
  }

  /// The failures that level min shows of a workflow, with the task and the time of each.
  private static List<String> raised(Term term, Input... inputs) {
    List<TraceEvent> events = new ArrayList<>();
    Machine machine = machine(Compiler.compile(workflow("w", term)), events);
    ExecState state = machine.start(Context.empty(), 5);
    machine.run(state, Integer.MAX_VALUE);
    for (Input input : inputs) {
      machine.apply(state, input);
      machine.run(state, Integer.MAX_VALUE);
    }
    return events.stream()
        .filter(event -> event.kind() == TraceEvent.Kind.RAISED)
        .map(event -> event.subject() + " " + event.detail() + " " + event.atMillis())
        .toList();
  }

  @Test
  void failures_of_constructs_are_traced_at_level_min() {
    Term.Task a = effect("A");
    Term two = par(Play.pure("x", c -> c.with("k", 1)), Play.pure("y", c -> c.with("k", 2)));
    Term conflict = new Term.Par(((Term.Par) two).branches(), Merge.Standard.FAIL);
    Term limited = scope("s", new ScopeOptions(Duration.ofSeconds(1), null, null, false, null), a);
    Guard broken =
        Guard.named(
            "broken",
            c -> {
              throw new IllegalStateException("no");
            });

    assertThat(raised(xor(when(NEVER, a), when(NEVER, a)))).containsExactly(" no_branch 5");
    assertThat(raised(xor(when(broken, a), when(NEVER, a)))).containsExactly(" expression 5");
    assertThat(raised(conflict)).containsExactly(" merge_conflict 5");
    assertThat(raised(instances("m", InstancePolicy.fixed(3).between(0, 2), a)))
        .containsExactly(" mi_bounds 5");
    assertThat(raised(limited, new Input.Advance(1_005))).containsExactly(" timeout 1005");
    assertThat(raised(a, new Input.Fail("deadline", ""))).containsExactly(" deadline 5");
  }

  @Test
  void failures_of_tasks_are_traced_at_level_min() {
    Term.Task a = effect("A");
    Term.Task slow = a.timeout(Duration.ofSeconds(2));
    Term.Task bad = task("bad", context -> new TaskResult.Failed("bad"));

    assertThat(raised(bad)).containsExactly("bad bad 5");
    assertThat(raised(a, new Input.TaskFailed(new TokenId(2), "boom"))).containsExactly("A boom 5");
    assertThat(raised(slow, new Input.Advance(2_005))).containsExactly("A timeout 2005");
  }

  @Test
  void a_handled_failure_names_the_scope_and_every_undone_task_is_traced() {
    Term bad = task("bad", context -> new TaskResult.Failed("bad"));
    ScopeOptions options = new ScopeOptions(null, null, Play.pure("h"), true, null);
    Term.Task a = Play.pure("a").undo(Play.pure("back"));

    Play play = Play.start(scope("s", options, seq(a, bad)));

    assertThat(play.events().stream().filter(e -> e.kind().isMinimal()).map(TraceEvent::rule))
        .containsSubsequence("TASK-ERROR", "RAISE", "UNDO", "HANDLE", "END");
  }

  @Test
  void timers_retries_resets_and_deadlocks_are_traced() {
    Term.Task retried =
        effect("A").retry(new dev.damask.task.Retry(2, Duration.ofSeconds(1), 1, 0));
    Term.Task asks = task("asks", context -> new TaskResult.Wants(EffectSpec.of("E"), context));
    Alternative later = after(Duration.ofSeconds(3), Play.pure("late"));
    Play play = Play.start(seq(retried, asks, new Term.Defer(List.of(later)), repeat(2, asks)));

    play.fail("A", "boom");
    play.advance(1_000);
    play.done("A");
    play.done("asks");
    play.advance(3_000);

    assertThat(play.events().stream().map(TraceEvent::rule))
        .containsSubsequence("TASK-RETRY", "TIMER", "EFFECT-RESULT", "TASK-EXEC", "TIMER")
        .contains("AWAIT-AFTER");
    assertThat(play.events().getLast().atMillis()).isEqualTo(4_000);
  }
}

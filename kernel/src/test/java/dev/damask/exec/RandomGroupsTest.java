package dev.damask.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.ProcessView;
import dev.damask.event.Scheduler;
import dev.damask.event.Status;
import dev.damask.event.TokenId;
import dev.damask.event.TraceEvent;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.schedule.Seeded;
import dev.damask.state.GroupState;
import dev.damask.state.Token;
import dev.damask.term.StepNode;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Random graphs of process instances, told random outcomes: the machine, under several schedulers
/// and written and read back after every step, does what a simple model does.
final class RandomGroupsTest {
  private static final int FIRST = Integer.getInteger("damask.firstSeed", 0);
  private static final int GRAPHS = Integer.getInteger("damask.randomGraphs", 60);
  private static final int ACTIONS = 20;

  /// How often each thing happened, so that the test does not pass because nothing did.
  private final Map<String, Integer> seen = new TreeMap<>();

  @Test
  void random_graphs_do_what_the_model_says() {
    for (int seed = FIRST; seed < FIRST + GRAPHS; seed++) {
      try {
        play(seed);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }

    assertThat(seen.getOrDefault("fulfilled", 0)).isGreaterThan(GRAPHS / 2);
    assertThat(seen.getOrDefault("abandoned", 0)).isGreaterThan(GRAPHS);
    assertThat(seen.getOrDefault("nested", 0)).isGreaterThan(GRAPHS / 2);
    assertThat(seen.getOrDefault("late", 0)).isGreaterThan(GRAPHS / 4);
    assertThat(seen.getOrDefault("completed", 0)).isGreaterThan(GRAPHS / 2);
  }

  private static List<StepNode> graph(SplittableRandom random) {
    int count = random.nextInt(3, 8);
    List<StepNode> steps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      steps.add(Steps.step("S" + i, branch(random, count), branch(random, count)));
    }
    return steps;
  }

  private static StepNode.Branch branch(SplittableRandom random, int count) {
    String[] spawns = new String[random.nextInt(4)];
    for (int i = 0; i < spawns.length; i++) {
      spawns[i] = "S" + random.nextInt(count);
    }
    if (random.nextInt(5) < 2) {
      return Steps.spawns(spawns);
    }
    List<StepNode.Source> from = new ArrayList<>();
    for (int i = random.nextInt(1, 4); i > 0; i--) {
      boolean isNear = spawns.length > 0 && random.nextInt(4) > 0;
      String step = isNear ? spawns[random.nextInt(spawns.length)] : "S" + random.nextInt(count);
      from.add(new StepNode.Source(step, StepNode.When.values()[random.nextInt(3)]));
    }
    String target = "S" + random.nextInt(count);
    int need = random.nextInt(1, from.size() + 1);
    return Steps.spawns(new StepNode.GroupJoin(target, need, random.nextBoolean(), from), spawns);
  }

  private void play(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<StepNode> steps = graph(random);
    Program program = Compiler.compile(Steps.workflow("S0", steps.toArray(StepNode[]::new)));
    Scheduler scheduler = seed % 2 == 0 ? InOrder.INSTANCE : new Seeded(seed);
    Play play =
        new Play(
            program,
            new Play.Style(scheduler, seed % 3 == 0, seed % 5 != 0, seed % 7 == 0 ? 1 : 100),
            Context.empty());
    GroupModel model = new GroupModel(steps, "S0");
    compare(play, model);
    for (int i = 0; i < ACTIONS && !model.live().isEmpty(); i++) {
      act(random, play, model, false);
      compare(play, model);
    }
    while (!model.live().isEmpty()) {
      act(random, play, model, true);
      compare(play, model);
    }

    // Nothing goes on from a session in which no process came to a branch.
    boolean isDone = model.processes.stream().anyMatch(p -> p.status == GroupModel.Status.DONE);
    assertThat(play.status()).isEqualTo(isDone ? Status.COMPLETED : Status.CANCELLED);
    count("completed", isDone ? 1 : 0);
    CompleteTraceTest.requireComplete(seed, play);
    ended(play, model);
  }

  /// Does something at random; at the end everything is aborted, so that loops come to an end.
  private void act(SplittableRandom random, Play play, GroupModel model, boolean atEnd) {
    List<GroupModel.Instance> running =
        model.live().stream().filter(p -> p.status == GroupModel.Status.RUNNING).toList();
    List<GroupModel.Instance> waiting =
        model.live().stream().filter(p -> p.status == GroupModel.Status.WAITING).toList();
    boolean isIdle = running.isEmpty();
    if (!waiting.isEmpty() && (isIdle || random.nextInt(5) == 0)) {
      if (random.nextBoolean() || isIdle) {
        play.advance(10);
        model.advance(10);
      } else {
        int number = waiting.get(random.nextInt(waiting.size())).number;
        play.apply(new Input.Signal("process.wake", Context.of("process", (long) number)));
        model.wake(number);
      }
      return;
    }
    GroupModel.Instance chosen = running.get(random.nextInt(running.size()));
    int dice = random.nextInt(20);
    String word = atEnd || dice == 0 ? "aborted" : dice < 12 ? "valid" : "invalid";
    long wait = random.nextInt(3) == 0 ? 10L * random.nextInt(1, 3) : 0;
    Map<String, Object> payload = Map.of("x", (long) chosen.number, "k" + chosen.number % 3, 1L);
    count("late", !word.equals("aborted") && chosen.home.closed ? 1 : 0);
    Context context = Context.from(payload).withAll(Steps.outcome(word));
    play.apply(new Input.TaskDone(token(play, chosen.number), context.with(Steps.WAIT, wait)));
    model.evaluated(chosen.number, word, wait, payload);
  }

  /// A checker works on states that were written in canonical form and read back.
  private static void requireCanonical(Play play) {
    ExecState read = StateCodec.decode(play.machine, Exploration.canonical(play.state));
    assertThat(read.processes().stream().map(ProcessView::step))
        .containsExactlyInAnyOrderElementsOf(
            play.state.processes().stream().map(ProcessView::step).toList());
  }

  private static int number(@Nullable Token token) {
    return token == null ? 0 : GroupState.number(token);
  }

  private static TokenId token(Play play, int number) {
    return play.state.pendingEffects().stream()
        .map(EffectRequest::token)
        .filter(id -> number(play.state.effects().get(id.number())) == number)
        .findFirst()
        .orElseThrow(() -> new AssertionError("process " + number + " does not run"));
  }

  /// Who lives, where, in which group, with what payload, and what its join has got.
  private static void compare(Play play, GroupModel model) {
    requireCanonical(play);
    List<ProcessView> views =
        play.state.processes().stream()
            .sorted(java.util.Comparator.comparingInt(ProcessView::number))
            .toList();
    List<String> found =
        views.stream()
            .map(v ->
                v.number()
                    + " "
                    + v.step()
                    + (v.running() ? " running" : " waiting")
                    + (v.fromGroup() == 0 ? "" : " got " + v.delivered()))
            .toList();
    List<GroupModel.Instance> wanted = model.live();
    assertThat(found).isEqualTo(wanted.stream().map(GroupModel.Instance::toString).toList());
    Map<Integer, GroupModel.Group> groups = new HashMap<>();
    for (int i = 0; i < views.size(); i++) {
      ProcessView view = views.get(i);
      GroupModel.Instance process = wanted.get(i);
      GroupModel.Group known = groups.putIfAbsent(view.group(), process.home);
      assertThat(known == null ? process.home : known).isSameAs(process.home);
      Map<String, Object> payload = new TreeMap<>(view.payload().toMap());
      payload.keySet().removeIf(key -> key.startsWith("_"));
      assertThat(payload).isEqualTo(process.payload);
    }
    assertThat(groups.values()).doesNotHaveDuplicates();
  }

  /// A join is decided exactly once, and nothing is left of any group.
  private void ended(Play play, GroupModel model) {
    Map<Integer, Integer> closed = new HashMap<>();
    int abandoned = 0;
    for (TraceEvent event : play.events()) {
      if (event.kind() == TraceEvent.Kind.JOINED) {
        String detail = event.detail();
        closed.merge(
            Integer.valueOf(detail.substring(detail.indexOf("group=") + 6)), 1, Integer::sum);
      }
      abandoned += event.kind() == TraceEvent.Kind.ABANDONED ? 1 : 0;
    }
    assertThat(closed.values()).allMatch(times -> times == 1);
    assertThat(closed).hasSize(model.groups.stream().mapToInt(group -> group.fulfilled).sum());
    // A target may be lost for two reasons at once; which of them is told is nobody's business.
    assertThat(abandoned + closed.size()).isLessThan(model.groups.size());
    assertThat(model.groups.stream().skip(1))
        .allMatch(group -> group.closed && group.fulfilled + group.abandoned <= 1);
    assertThat(play.state.groups()).isEmpty();
    assertThat(play.state.pendingEffects()).isEmpty();
    count("fulfilled", closed.size());
    count("abandoned", abandoned);
    count(
        "nested",
        (int)
            model.groups.stream()
                .filter(
                    group -> group.target != null && group.target.home != model.groups.getFirst())
                .count());
  }

  private void count(String what, int times) {
    seen.merge(what, times, Integer::sum);
  }
}

package dev.damask.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.event.TokenId;
import dev.damask.exec.Migration.Migrated;
import dev.damask.exec.Migration.Refused;
import dev.damask.program.Code;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.state.Frame;
import dev.damask.state.Token;
import dev.damask.term.Alternative;
import dev.damask.term.Flow;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// Random workflows, random events, random changes of the text.
///
/// The oracle: where nothing that was changed has been executed, the new version started from the
/// beginning with the same events must be in the very state that moving gives, byte for byte.
final class MigrationPropertyTest {
  private static final int SEEDS = Integer.getInteger("damask.seeds", 300);
  private static final long FIRST = Long.getLong("damask.seed", 0);
  private static final int EVENTS = 20;
  private static final String MARK = "mark";

  /// Two cases with the same events, of a workflow and of a changed one.
  private record Pair(long seed, Play before, Play fresh, Machine to, List<String> told) {
    boolean waits() {
      return before.state.isBlocked();
    }

    /// Whether both have seen the same: then they must be in the same state. The data of an error
    /// names places in the text, which have moved.
    boolean isSame() {
      String bytes = new String(StateCodec.encode(before.state), StandardCharsets.ISO_8859_1);
      return before.state.steps() == fresh.state.steps()
          && !bytes.contains("error")
          && !hasFailure(before.state.root)
          && told.stream().noneMatch(text -> text.contains("!") || hasWord(text, MARK));
    }

    /// Whether both have seen the same but for the mark. Frames and tokens share their numbers, so
    /// that with one more frame an event may mean another task.
    boolean isSameStory() {
      for (int i = 0; i < told.size(); i += 2) {
        List<String> words = new ArrayList<>(List.of(told.get(i + 1).split(" ")));
        words.removeIf(MARK::equals);
        if (!told.get(i).equals(String.join(" ", words))) {
          return false;
        }
      }
      return true;
    }

    Migration move(Mapping mapping) {
      return Migration.plan(before.state, to, mapping);
    }

    @Override
    public String toString() {
      return "seed " + seed + " after " + told;
    }
  }

  private static boolean hasFailure(Frame frame) {
    boolean failure = frame.undoing != null && frame.undoing.ending.failure() != null;
    return failure || frame.childList().stream().anyMatch(MigrationPropertyTest::hasFailure);
  }

  private static boolean hasWord(String text, String word) {
    return List.of(text.split(" ")).contains(word);
  }

  private interface Check {
    void check(Pair pair);
  }

  /// Plays the same events on both, checking wherever the first one waits.
  private static void play(
      long seed, WorkflowDefinition workflow, WorkflowDefinition changed, Check check) {
    play(seed, workflow, changed, false, check);
  }

  private static void play(
      long seed,
      WorkflowDefinition workflow,
      WorkflowDefinition changed,
      boolean renaming,
      Check check) {
    Program program = Compiler.compile(changed);
    Play before = new Play(Compiler.compile(workflow), Play.Style.PLAIN, Context.empty());
    Play fresh = new Play(program, Play.Style.PLAIN, Context.empty());
    Machine to =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    List<String> told = new ArrayList<>();
    Pair pair = new Pair(seed, before, fresh, to, told);
    SplittableRandom random = new SplittableRandom(seed);
    told.add(before.see());
    told.add(fresh.see());
    try {
      check(pair, check);
      for (int i = 0; i < EVENTS && !before.state.isDone(); i++) {
        Input input = input(random, before.state);
        told.add(before.apply(input));
        told.add(fresh.apply(renaming ? renamed(input) : input));
        check(pair, check);
      }
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(pair + ": " + e, e);
    }
  }

  static Input input(SplittableRandom random, ExecState state) {
    List<EffectRequest> pending = state.pendingEffects();
    int kind = random.nextInt(12);
    int which = random.nextInt(1_000);
    if (kind < 7 && !pending.isEmpty()) {
      TokenId token = pending.get(which % pending.size()).token();
      return switch (kind) {
        case 0 -> new Input.TaskFailed(token, "boom");
        case 1 -> new Input.CancelTask(token);
        default -> new Input.TaskDone(token, Context.of(which % 2 == 0 ? "a" : "c", which));
      };
    }
    return switch (kind) {
      case 7, 8 -> new Input.Signal(RandomTerms.SIGNALS.get(which % 2), Context.empty());
      case 9 -> new Input.AddInstance(which % 2 == 0 ? "m" : "n", null, false);
      case 10 -> new Input.Kill(RandomTerms.SCOPES.get(which % 4), which % 3 == 0);
      default -> new Input.Advance(state.clock() + 1_000L * (which % 3));
    };
  }

  private static Input renamed(Input input) {
    return input instanceof Input.Kill(var name, var complete, _)
        ? new Input.Kill(swapped(name), complete)
        : input;
  }

  private static void check(Pair pair, Check check) {
    if (pair.waits()) {
      check.check(pair);
    }
  }

  private static void requireFreshState(Pair pair, Migration moved) {
    assertThat(moved).as("%s", pair).isInstanceOf(Migrated.class);
    if (moved instanceof Migrated(var state)) {
      assertThat(StateCodec.encode(state))
          .as("%s", pair)
          .isEqualTo(StateCodec.encode(pair.fresh().state));
    }
  }

  @Test
  void every_state_at_rest_is_legal_and_moves_to_its_own_program_without_a_change() {
    int[] moves = {0};
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      WorkflowDefinition workflow = new RandomTerms(seed, false).workflow();

      play(
          seed,
          workflow,
          workflow,
          pair -> {
            assertThat(new StateValidator(pair.before().state).broken()).isEmpty();
            requireFreshState(pair, pair.move(Mapping.NONE));
            moves[0]++;
          });
    }

    assertThat(moves[0]).isGreaterThan(SEEDS);
  }

  @Test
  void a_task_inserted_where_nothing_has_been_gives_the_state_of_a_fresh_run() {
    TreeMap<String, Integer> results = new TreeMap<>();
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      WorkflowDefinition workflow = new RandomTerms(seed, false).workflow();
      boolean behind = seed % 2 == 0;
      UnaryOperator<Term> insert =
          term -> behind ? Flow.seq(term, Play.pure(MARK)) : Flow.seq(Play.pure(MARK), term);

      play(seed, workflow, changed(seed, workflow, insert), pair -> count(pair, results));
    }

    assertThat(results.get("fresh")).isGreaterThan(SEEDS);
    assertThat(results.get("moved")).isGreaterThan(SEEDS / 10);
    assertThat(results.getOrDefault("refused", 0)).isLessThan(SEEDS / 10);
  }

  private static void count(Pair pair, TreeMap<String, Integer> results) {
    Migration moved = pair.move(Mapping.NONE);
    switch (moved) {
      case Migrated(var state) -> {
        results.merge(pair.isSame() ? "fresh" : "moved", 1, Integer::sum);
        if (pair.isSame()) {
          requireFreshState(pair, moved);
        }
        assertThat(ids(state)).isEqualTo(ids(pair.before().state));
        runOn(pair.to(), state);
      }
      case Refused(var reasons) -> {
        results.merge("refused", 1, Integer::sum);
        assertThat(reasons).as("%s", pair).allMatch(text -> text.contains("which is meant"));
      }
    }
  }

  private static List<String> ids(ExecState state) {
    return state.pendingEffects().stream().map(r -> r.token() + " " + r.id()).toList();
  }

  /// A case that was moved goes on like any other: the machine checks itself after every run.
  private static void runOn(Machine machine, ExecState state) {
    machine.run(state, 10_000);
    for (int i = 0; i < 5 && !state.isDone(); i++) {
      List<EffectRequest> pending = state.pendingEffects();
      Input input =
          pending.isEmpty()
              ? new Input.Advance(state.clock() + 1_000)
              : new Input.TaskDone(pending.getFirst().token(), Context.empty());
      machine.apply(state, input);
      machine.run(state, 10_000);
    }
  }

  private static WorkflowDefinition changed(
      long seed, WorkflowDefinition workflow, UnaryOperator<Term> change) {
    int target = new SplittableRandom(~seed).nextInt(Edits.count(workflow));
    return Edits.at(target, workflow, change);
  }

  @Test
  void a_scope_put_around_what_is_under_way_is_refused_and_elsewhere_changes_nothing() {
    TreeMap<String, Integer> results = new TreeMap<>();
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      WorkflowDefinition workflow = new RandomTerms(seed, false).workflow();
      UnaryOperator<Term> wrap = term -> Flow.scope("wrapped", Play.pure(MARK), term);

      play(
          seed,
          workflow,
          changed(seed, workflow, wrap),
          pair -> {
            Migration moved = pair.move(Mapping.NONE);
            boolean open =
                !pair.fresh().state.named(pair.fresh().program.nameIndex("wrapped")).isEmpty();
            if (open && pair.isSameStory()) {
              assertThat(moved).as("a frame is missing").isInstanceOf(Refused.class);
            }
            if (pair.isSame() && moved instanceof Migrated) {
              requireFreshState(pair, moved);
            }
            results.merge(open ? "open" : moved.getClass().getSimpleName(), 1, Integer::sum);
          });
    }

    assertThat(results.get("open")).isGreaterThan(SEEDS / 10);
    assertThat(results.get("Migrated")).isGreaterThan(SEEDS);
  }

  @Test
  void renamed_tasks_and_scopes_change_nothing_but_their_names() {
    int[] moves = {0};
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      WorkflowDefinition workflow = new RandomTerms(seed, false).workflow();
      Mapping mapping = Mapping.NONE;
      for (var task : Compiler.compile(workflow).pools().tasks()) {
        mapping = task.name().isEmpty() ? mapping : mapping.task(task.name(), "t" + task.name());
      }
      for (String scope : RandomTerms.SCOPES) {
        mapping = mapping.scope(scope, swapped(scope));
      }
      Mapping names = mapping;

      play(
          seed,
          workflow,
          Edits.everywhere(workflow, MigrationPropertyTest::renamed),
          true,
          pair -> {
            Migration moved = pair.move(names);
            if (pair.isSame()) {
              requireFreshState(pair, moved);
              moves[0]++;
            }
          });
    }

    assertThat(moves[0]).isGreaterThan(SEEDS);
  }

  @Test
  void no_change_of_the_text_makes_a_wait_for_one_place_a_wait_for_another() {
    int[] waits = {0};
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      WorkflowDefinition workflow = new RandomTerms(seed, false).workflow();
      boolean everywhere = seed % 2 == 0;
      WorkflowDefinition changed =
          everywhere
              ? Edits.everywhere(workflow, MigrationPropertyTest::otherPlaces)
              : changed(seed, workflow, MigrationPropertyTest::otherPlaces);

      play(
          seed,
          workflow,
          changed,
          pair -> {
            if (pair.move(Mapping.NONE) instanceof Migrated(var state)) {
              TreeMap<Integer, TreeSet<String>> after = accepted(state);
              accepted(pair.before().state)
                  .forEach((token, places) -> {
                    waits[0]++;
                    assertThat(after.get(token)).as("%s token %s", pair, token).containsAll(places);
                  });
            }
          });
    }

    assertThat(waits[0]).isPositive();
  }

  /// What each token that waits for places accepts, read from the program at its address.
  private static TreeMap<Integer, TreeSet<String>> accepted(ExecState state) {
    TreeMap<Integer, TreeSet<String>> accepted = new TreeMap<>();
    Program program = state.program();
    List<Frame> open = new ArrayList<>(List.of(state.root));
    for (int i = 0; i < open.size(); i++) {
      open.addAll(open.get(i).childList());
      for (Token token = open.get(i).firstToken; token != null; token = token.next) {
        if (token.state == Token.State.AWAIT && program.raw().code()[token.ip] == Code.AWAIT) {
          TreeSet<String> texts = new TreeSet<>();
          int index = program.raw().code()[token.ip + 1];
          for (var each : program.pools().awaits()[index].alternatives()) {
            for (int place : each.places()) {
              texts.add(each.kind() + " " + program.pools().places()[place].place().name());
            }
          }
          accepted.put(token.id, texts);
        }
      }
    }
    return accepted;
  }

  /// Waits for other places than before, or takes what was tested, with the same consequences.
  private static Term otherPlaces(Term term) {
    return term instanceof Term.Defer(var alternatives)
        ? new Term.Defer(alternatives.stream().map(MigrationPropertyTest::otherPlaces).toList())
        : term;
  }

  private static Alternative otherPlaces(Alternative alternative) {
    return switch (alternative) {
      case Alternative.Take(var places, var external, var then) ->
          new Alternative.Take(
              places.stream().map(MigrationPropertyTest::otherPlace).toList(), external, then);
      case Alternative.Test(var places, var then) -> new Alternative.Take(places, false, then);
      case Alternative.After _, Alternative.Expired _ -> alternative;
    };
  }

  private static String otherPlace(String name) {
    return name.equals("e") ? "t" : name.equals("t") ? "e" : name;
  }

  /// All tasks get new names, two scopes exchange theirs.
  private static Term renamed(Term term) {
    return switch (term) {
      case Term.Task t when !t.name().isEmpty() ->
          new Term.Task("t" + t.name(), t.work(), t.options(), t.undo());
      case Term.Cancel(var name, var holding, var options, var body) ->
          new Term.Cancel(swapped(name), holding, options, body);
      case Term.Kill(var name, var outcome) -> new Term.Kill(swapped(name), outcome);
      case Term.Mi(var name, var policy, var body) -> new Term.Mi(swapped(name), policy, body);
      default -> term;
    };
  }

  private static String swapped(String name) {
    return name.equals("r") ? "s" : name.equals("s") ? "r" : name;
  }

  @Test
  void a_task_that_waits_and_is_taken_out_is_named_in_the_refusal() {
    int[] refusals = {0};
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      WorkflowDefinition workflow = new RandomTerms(seed, false).workflow();
      String[] gone = {""};
      UnaryOperator<Term> remove =
          term -> {
            if (term instanceof Term.Task task && task.work() instanceof Term.Work.Effect) {
              gone[0] = task.name();
              return Flow.skip();
            }
            return term;
          };

      play(
          seed,
          workflow,
          changed(seed, workflow, remove),
          pair -> {
            for (EffectRequest request : pair.before().state.pendingEffects()) {
              if (request.task().name().equals(gone[0])) {
                refusals[0]++;
                requireNamed(pair, request);
              }
            }
          });
    }

    assertThat(refusals[0]).isPositive();
  }

  /// The refusal names the task, or the block around it if nothing is left to know that block by.
  private static void requireNamed(Pair pair, EffectRequest request) {
    Migration moved = pair.move(Mapping.NONE);
    Play before = pair.before();
    int address =
        Exploration.tokens(before.state).stream()
            .filter(token -> token.id() == request.token().number())
            .findFirst()
            .orElseThrow()
            .address();
    String path = before.program.constructs().at(address).path().toString();

    assertThat(moved).isInstanceOf(Refused.class);
    assertThat(((Refused) moved).reasons())
        .as("%s at %s", request.task().name(), path)
        .anyMatch(reason ->
            reason.startsWith("task " + request.task().name() + " waits")
                || (reason.endsWith("; the new version has no similar construct there")
                    && path.startsWith(reason.replaceAll(".* is open at |; the new.*", ""))));
  }
}

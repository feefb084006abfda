package dev.damask.simulation;

import dev.damask.task.Guard;
import dev.damask.task.Retry;
import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Limits;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Generates random workflows with all kinds of terms from a sequence of choices.
public final class TermGenerator {
  /// The keys that guards read and tasks write.
  public static final List<String> KEYS = List.of("k", "m", "n");

  /// The mutexes. Every generated case that ends must have released them.
  public static final List<String> MUTEXES = List.of("x", "y");

  /// Places that can be signalled.
  public static final List<String> SIGNALS = List.of("s", "t");

  private static final List<String> SCOPES = List.of("R", "Q", "P");
  private static final List<String> SETS = List.of("i", "j");
  private static final int DEPTH_MAX = 4;
  private static final int SIZE_MAX = 24;

  private final Choices choices;
  private final List<String> definitions = new ArrayList<>();

  /// The enclosing scopes of the next term, which a break may end.
  private List<String> around = List.of();

  private int size;
  private int loops;

  private TermGenerator(Choices choices) {
    this.choices = choices;
  }

  /// Generates a workflow of structured terms and graphs.
  public static WorkflowDefinition workflow(Choices choices) {
    return new TermGenerator(choices).workflow();
  }

  private WorkflowDefinition workflow() {
    List<Definition> all = new ArrayList<>();
    if (choices.oneIn(4)) {
      all.add(new Definition("F", List.of(Place.internal("q")), term(2)));
      definitions.add("F");
    }
    Term body = term(0);
    // The names that kill and add need exist once, after everything else.
    Term known =
        Flow.seq(
            body,
            Flow.scope("R", Flow.skip()),
            Flow.scope("Q", Flow.skip()),
            Flow.scope("P", Flow.skip()),
            Flow.instances("i", InstancePolicy.fixed(0), Flow.skip()),
            Flow.instances("j", InstancePolicy.fixed(0), Flow.skip()));
    List<Place> places = new ArrayList<>();
    MUTEXES.forEach(name -> places.add(Place.mutex(name)));
    places.add(Place.external("s"));
    places.add(Place.trigger("t"));
    places.add(Place.internal("p"));
    Mode mode = choices.oneIn(5) ? Mode.EXPLICIT : Mode.IMPLICIT;
    return Flow.workflow("random", known)
        .withPlaces(places.toArray(Place[]::new))
        .withDefinitions(all.toArray(Definition[]::new))
        .withMode(mode)
        .withLimits(Limits.DEFAULT.withSteps(1_000).withCallDepth(5));
  }

  private Term term(int depth) {
    size++;
    if (depth >= DEPTH_MAX || size > SIZE_MAX) {
      return leaf();
    }
    return switch (choices.next(16)) {
      case 0, 1 -> leaf();
      case 2, 3 -> Flow.seq(term(depth + 1), term(depth + 1), term(depth + 1));
      case 4 -> new Term.Par(List.of(term(depth + 1), term(depth + 1)), merge());
      case 5 -> xor(depth);
      case 6, 7 -> join(depth);
      case 8 -> loop(depth);
      case 9 -> defer(depth);
      case 10, 11 -> scope(depth);
      case 12 -> instances(depth);
      case 13 -> new GraphGenerator(choices, () -> term(DEPTH_MAX - 1)).graph();
      case 14 -> Flow.during("p", term(depth + 1), term(depth + 1));
      default -> definitions.isEmpty() ? leaf() : Flow.call("F");
    };
  }

  private Term leaf() {
    return switch (choices.next(16)) {
      case 0, 1, 2, 3 -> effect();
      case 4, 5, 6 -> pure();
      case 7 -> Flow.emit(choices.oneIn(2) ? "p" : "t");
      case 8 -> Flow.kill(pick(SCOPES));
      case 9 -> Flow.complete(choices.oneIn(3) ? pick(SETS) : pick(SCOPES));
      case 10 -> Flow.emit(pick(SETS) + (choices.oneIn(2) ? ".add" : ".close"));
      case 11 -> choices.oneIn(4) ? Flow.fail("planned") : Flow.skip();
      case 12 -> choices.oneIn(6) ? Flow.kill("case") : pure();
      case 13 -> Flow.breakOut(around.isEmpty() || choices.oneIn(8) ? "case" : pick(around));
      default -> effect();
    };
  }

  private Term effect() {
    Term.Task task = Flow.effect(pick(List.of("A", "B", "C", "D")));
    if (choices.oneIn(4)) {
      task = task.undo(choices.oneIn(2) ? Flow.effect("U") : pure());
    }
    if (choices.oneIn(6)) {
      Retry retry = new Retry(2, Duration.ofSeconds(choices.next(3)), 2.0, 0.0);
      task = choices.oneIn(3) ? task.atMostOnce().retry(retry.onNotSent()) : task.retry(retry);
    }
    return choices.oneIn(6) ? task.timeout(Duration.ofSeconds(5)) : task;
  }

  private Term.Task pure() {
    String key = pick(KEYS);
    int value = choices.next(3);
    Term.Task task = Flow.task(pick(List.of("a", "b", "c")), c -> c.with(key, value));
    if (choices.oneIn(10)) {
      task = choices.oneIn(2) ? task.slow() : task.slow().timeout(Duration.ofSeconds(5));
    }
    return choices.oneIn(5) ? task.undo(Flow.task("u", c -> c.without(key))) : task;
  }

  private Term xor(int depth) {
    if (choices.oneIn(3)) {
      return Flow.anyOf(term(depth + 1), term(depth + 1));
    }
    return Flow.xor(
        Flow.when(guard(), term(depth + 1)),
        Flow.when(guard(), term(depth + 1)),
        Flow.otherwise(term(depth + 1)));
  }

  private Term join(int depth) {
    Term.Choice[] branches = {
      Flow.always(term(depth + 1)), Flow.always(term(depth + 1)), Flow.always(term(depth + 1))
    };
    JoinPolicy policy =
        switch (choices.next(6)) {
          case 0 -> JoinPolicy.syncMerge();
          case 1 -> JoinPolicy.firstComplete();
          case 2 -> JoinPolicy.firstN(2);
          case 3 -> JoinPolicy.partial(1 + choices.next(2));
          case 4 -> JoinPolicy.detach();
          default -> {
            branches[0] = Flow.when(guard(), branches[0].then());
            branches[1] = Flow.when(guard(), branches[1].then());
            yield JoinPolicy.syncMerge();
          }
        };
    return Flow.join(policy.withMerge(merge()), branches);
  }

  private Term loop(int depth) {
    int rounds = 1 + choices.next(3);
    if (choices.oneIn(2)) {
      return Flow.repeat(rounds, term(depth + 1));
    }
    // A loop with its own counter, so that it ends regardless of the keys that its body writes.
    String counter = "round" + loops++;
    Term body =
        Flow.seq(term(depth + 1), Flow.task("", c -> c.with(counter, number(c.get(counter)) + 1)));
    return choices.oneIn(2)
        ? Flow.repeatWhile(c -> number(c.get(counter)) < rounds, body)
        : Flow.repeatUntil(c -> number(c.get(counter)) >= rounds, body);
  }

  private Term defer(int depth) {
    List<Alternative> alternatives = new ArrayList<>();
    alternatives.add(Flow.taking(pick(SIGNALS), term(depth + 1)));
    if (choices.oneIn(2)) {
      alternatives.add(Flow.testing("p", term(depth + 1)));
    }
    if (choices.oneIn(2)) {
      alternatives.add(Flow.after(Duration.ofSeconds(1 + choices.next(4)), term(depth + 1)));
    }
    if (choices.oneIn(3)) {
      alternatives.set(0, Flow.taking("p", alternatives.getFirst().then()));
      alternatives.add(Flow.expired(term(depth + 1)));
    }
    return Flow.defer(alternatives.toArray(Alternative[]::new));
  }

  private Term scope(int depth) {
    Duration timeout = choices.oneIn(3) ? Duration.ofSeconds(1 + choices.next(6)) : null;
    Term onTimeout = timeout != null && choices.oneIn(2) ? term(depth + 1) : null;
    Term handler = choices.oneIn(2) ? term(depth + 1) : null;
    String marking = choices.oneIn(4) ? "p" : null;
    ScopeOptions options =
        new ScopeOptions(timeout, onTimeout, handler, choices.oneIn(3), null, marking);
    List<String> holding = choices.oneIn(3) ? List.of(pick(MUTEXES)) : List.of();
    String name = pick(SCOPES);
    return new Term.Cancel(name, holding, options, inside(name, depth));
  }

  private Term inside(String name, int depth) {
    List<String> outer = around;
    around = new ArrayList<>(outer);
    around.add(name);
    Term body = term(depth + 1);
    around = outer;
    return body;
  }

  private Term instances(int depth) {
    InstancePolicy policy = InstancePolicy.fixed(choices.next(4)).collect("k");
    if (choices.oneIn(2)) {
      policy = choices.oneIn(4) ? policy.openUntilClosed() : policy.opened();
    }
    if (choices.oneIn(3)) {
      policy = policy.need(choices.next(3));
    }
    if (choices.oneIn(3)) {
      policy = policy.rest(JoinPolicy.Rest.CANCEL);
    }
    String name = pick(SETS);
    return new Term.Mi(name, policy, inside(name, depth));
  }

  private Merge merge() {
    return switch (choices.next(6)) {
      case 0 -> Merge.Standard.FIRST;
      case 5 -> Merge.collect("k");
      case 1 -> Merge.Standard.COLLECT;
      case 2 -> Merge.Standard.OVERLAY;
      default -> Merge.Standard.LAST;
    };
  }

  private Guard guard() {
    return guard(pick(KEYS), choices.next(3));
  }

  static Guard guard(String key, int value) {
    return Guard.named(key + "==" + value, c -> number(c.get(key)) == value);
  }

  private static long number(@Nullable Object value) {
    return value instanceof Long number ? number : 0;
  }

  private <T> T pick(List<T> options) {
    return options.get(choices.next(options.size()));
  }
}

package dev.damask.exec;

import dev.damask.task.Guard;
import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Limits;
import dev.damask.term.Merge;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.TaskResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Workflows made by chance from a seed. Every one of them is well formed.
final class RandomTerms {
  static final List<String> MUTEXES = List.of("x", "y");
  static final List<String> SCOPES = List.of("r", "s", "m", "n");
  static final List<String> SIGNALS = List.of("e", "t");
  private static final List<String> MILESTONES = List.of("p", "o");
  private static final List<String> TESTED = List.of("p", "x", "o");
  private static final Limits LIMITS = new Limits(10_000, 100, 4, 20, 60, 30, 20_000, 400);

  private final SplittableRandom random;

  /// Whether only forms are made in which the order of events changes nothing that is executed.
  private final boolean confluent;

  /// The scopes around what is made next, which a break may end.
  private List<String> around = List.of();

  private boolean callable = true;
  private int tasks;

  RandomTerms(long seed, boolean confluent) {
    this.random = new SplittableRandom(seed);
    this.confluent = confluent;
  }

  WorkflowDefinition workflow() {
    Term body = term(4);
    // A recursion that goes too deep fails at a moment that is a matter of order.
    callable = !confluent;
    List<Definition> definitions =
        List.of(
            new Definition("F", List.of(Place.mutex("z")), Flow.seq(term(2), term(1))),
            new Definition("G", List.of(), term(2)));
    return new WorkflowDefinition(
        "w",
        "",
        "",
        chance(8) && !confluent ? dev.damask.term.Mode.EXPLICIT : dev.damask.term.Mode.IMPLICIT,
        Context.of("a", 0, "b", 0),
        List.of(Place.mutex("x"), Place.mutex("y"), Place.external("e"), Place.trigger("t")),
        definitions,
        confluent ? Limits.DEFAULT : LIMITS,
        Flow.seq(Flow.scope("r", body), term(2), endings()));
  }

  /// Keeps every name the generator uses in the text, so that kills and calls are well formed.
  private Term endings() {
    Term never = Flow.seq(Flow.call("F"), Flow.call("G"), Flow.scope("s", task()), mi("m", 1));
    Term none = Flow.seq(never, Flow.holding("n", "x", task()), mi("n", 1));
    return Flow.xor(Flow.when(Guard.named("false", c -> false), none), Flow.otherwise(Flow.skip()));
  }

  private boolean chance(int of) {
    return random.nextInt(of) == 0;
  }

  private Term term(int depth) {
    if (depth == 0) {
      return leaf();
    }
    int kind = random.nextInt(confluent ? 9 : 14);
    return switch (kind) {
      case 0 -> leaf();
      case 1, 2 -> Flow.seq(term(depth - 1), term(depth - 1));
      case 3 -> fork(depth);
      case 4 -> choice(depth);
      case 5 -> Flow.repeat(random.nextInt(3), term(depth - 1));
      case 6 -> scope(depth);
      case 7 -> mi(confluent || chance(2) ? "m" : "n", depth);
      case 8 -> callable ? Flow.call(!confluent && chance(2) ? "F" : "G") : task();
      case 9 -> join(depth);
      case 10 -> defer(depth);
      case 11 -> graph(depth);
      case 12 -> holding(depth);
      default -> Flow.seq(term(depth - 1), kill());
    };
  }

  private Term leaf() {
    if (!confluent && chance(10)) {
      return kill();
    }
    if (!confluent && !around.isEmpty() && chance(10)) {
      return Flow.breakOut(chance(8) ? "case" : around.get(random.nextInt(around.size())));
    }
    if (!confluent && chance(8)) {
      return Flow.emit(List.of("p", "q", "e", "t", "m.add", "n.close").get(random.nextInt(6)));
    }
    return task();
  }

  private Term kill() {
    String name = chance(12) ? "case" : SCOPES.get(random.nextInt(4));
    return new Term.Kill(name, chance(2) ? Term.Kill.Outcome.COMPLETE : Term.Kill.Outcome.WITHDRAW);
  }

  private Term task() {
    String name = Integer.toString(tasks++);
    Term.Task task;
    if (chance(2)) {
      task = Flow.effect("E" + name);
      if (!confluent && chance(4)) {
        task = task.timeout(Duration.ofSeconds(1 + random.nextInt(3)));
      }
      if (!confluent && chance(4)) {
        task =
            task.retry(new dev.damask.task.Retry(2, Duration.ofSeconds(random.nextInt(2)), 2, 0.5));
      }
    } else if (!confluent && chance(10)) {
      task = Flow.task("f" + name, context -> new TaskResult.Failed("bad"));
    } else {
      String key = chance(2) ? "a" : "b";
      boolean removes = chance(5);
      task =
          Flow.task(
              "p" + name, context -> removes ? context.without(key) : context.with(key, name));
    }
    return chance(4) ? task.undo(chance(2) ? Flow.effect("U" + name) : undo("u" + name)) : task;
  }

  private Term undo(String name) {
    Term plain = Play.pure(name);
    List<String> outer = around;
    around = List.of(); // an undo term runs when the scopes around its task have ended
    Term undo = !confluent && chance(6) ? Flow.seq(plain, leaf()) : plain;
    around = outer;
    return undo;
  }

  private Term inside(String name, int depth) {
    List<String> outer = around;
    around = new ArrayList<>(outer);
    around.add(name);
    Term body = depth == 0 ? leaf() : term(depth - 1);
    around = outer;
    return body;
  }

  private Term fork(int depth) {
    Term[] branches = new Term[2 + random.nextInt(2)];
    for (int i = 0; i < branches.length; i++) {
      branches[i] = term(depth - 1);
    }
    return new Term.Par(List.of(branches), chance(2) ? Merge.Standard.LAST : Merge.Standard.FIRST);
  }

  private Term choice(int depth) {
    Guard guard = Guard.named("a", context -> context.has("a"));
    return Flow.xor(Flow.when(guard, term(depth - 1)), Flow.otherwise(term(depth - 1)));
  }

  private Term join(int depth) {
    List<Term.Choice> branches = new ArrayList<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      branches.add(
          chance(3)
              ? Flow.when(Guard.named("b", context -> context.has("b")), term(depth - 1))
              : Flow.always(term(depth - 1)));
    }
    JoinPolicy.Need need =
        chance(3)
            ? new JoinPolicy.Need.Sync()
            : new JoinPolicy.Need.Count(random.nextInt(count + 1));
    Merge merge =
        chance(6)
            ? Merge.collect("a", "c")
            : List.of(Merge.Standard.values()).get(random.nextInt(5));
    return new Term.Join(
        new JoinPolicy(
            need,
            chance(2) ? JoinPolicy.Rest.CANCEL : JoinPolicy.Rest.DRAIN,
            chance(2) ? JoinPolicy.Shortage.ABORT : JoinPolicy.Shortage.SHRINK,
            merge),
        branches);
  }

  private Term scope(int depth) {
    boolean timed = !confluent && chance(3);
    @Nullable Term onTimeout = timed && chance(2) ? term(depth - 1) : null;
    @Nullable Term handler = chance(3) ? term(depth - 1) : null;
    ScopeOptions options =
        new ScopeOptions(
            timed ? Duration.ofSeconds(1 + random.nextInt(4)) : null,
            onTimeout,
            handler,
            chance(2),
            null,
            !confluent && chance(3) ? MILESTONES.get(random.nextInt(2)) : null);
    String name = chance(2) ? "r" : "s";
    return Flow.scope(name, options, inside(name, depth));
  }

  private Term mi(String name, int depth) {
    InstancePolicy policy = InstancePolicy.fixed(random.nextInt(3)).collect("a");
    if (!confluent) {
      policy = chance(2) ? policy.opened() : chance(4) ? policy.openUntilClosed() : policy;
      policy = chance(2) ? policy.need(random.nextInt(3)) : policy;
      policy = chance(2) ? policy.rest(JoinPolicy.Rest.CANCEL) : policy;
    }
    return Flow.instances(name, policy, inside(name, depth));
  }

  private Term defer(int depth) {
    if (chance(5)) {
      return Flow.during(TESTED.get(random.nextInt(3)), term(depth - 1), term(depth - 1));
    }
    List<Alternative> alternatives = new ArrayList<>();
    alternatives.add(
        Flow.taking(List.of("p", "q", "e", "t").get(random.nextInt(4)), term(depth - 1)));
    if (chance(3)) {
      alternatives.add(Flow.takingAll(List.of("p", "q"), term(depth - 1)));
    }
    if (chance(3)) {
      alternatives.add(Flow.testing(TESTED.get(random.nextInt(3)), term(depth - 1)));
    }
    if (chance(3)) {
      alternatives.add(Flow.after(Duration.ofSeconds(random.nextInt(4)), term(depth - 1)));
    }
    if (chance(2)) {
      alternatives.add(Flow.expired(term(depth - 1)));
    }
    return new Term.Defer(alternatives);
  }

  private Term holding(int depth) {
    List<String> places = chance(3) ? MUTEXES : List.of(MUTEXES.get(random.nextInt(2)));
    ScopeOptions options = chance(3) ? ScopeOptions.undoing() : ScopeOptions.NONE;
    String name = chance(2) ? "r" : "s";
    return new Term.Cancel(name, places, options, inside(name, depth));
  }

  /// A graph of a few nodes in which every join names all its sources.
  private Term graph(int depth) {
    int count = 2 + random.nextInt(3);
    List<Split> splits = new ArrayList<>();
    Map<Integer, List<String>> sources = new LinkedHashMap<>();
    for (int i = -1; i < count; i++) {
      Split split = split(count, i);
      splits.add(split);
      String source = i < 0 ? Node.START : "n" + i;
      for (String target : split.targets()) {
        if (!target.equals(Node.END)) {
          List<String> all =
              sources.computeIfAbsent(
                  Integer.parseInt(target.substring(1)), key -> new ArrayList<>());
          if (!all.contains(source)) {
            all.add(source);
          }
        }
      }
    }
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<String> from = sources.getOrDefault(i, List.of());
      nodes.add(
          new Node(
              "n" + i,
              from.isEmpty() || chance(3) ? null : graphJoin(from, count),
              term(depth - 1),
              splits.get(i + 1)));
    }
    return new Term.Graph(
        chance(3) ? dev.damask.term.Mode.EXPLICIT : dev.damask.term.Mode.IMPLICIT,
        chance(3) ? Merge.Standard.OVERLAY : Merge.Standard.NEWEST,
        splits.getFirst(),
        nodes);
  }

  private Node.Join graphJoin(List<String> from, int count) {
    boolean abort = chance(2);
    int k = 1 + random.nextInt(from.size());
    return switch (random.nextInt(4)) {
      case 0 -> {
        Map<String, Integer> weights = new LinkedHashMap<>();
        from.forEach(source -> weights.put(source, chance(6) ? 2 : 1));
        yield new Node.Join.And(weights, abort);
      }
      case 1 -> new Node.Join.Or(from, false);
      case 2 -> new Node.Join.Blocking(k, from, abort);
      default -> {
        List<String> cancelled = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          if (chance(2)) {
            cancelled.add("n" + i);
          }
        }
        yield new Node.Join.Cancelling(k, from, cancelled, abort);
      }
    };
  }

  private String target(int count) {
    return chance(3) ? Node.END : "n" + random.nextInt(count);
  }

  private Split split(int count, int node) {
    return switch (random.nextInt(5)) {
      case 0, 1 -> new Split.And(List.of(target(count), target(count)));
      case 2 -> new Split.Copies(1 + random.nextInt(3), target(count));
      case 3 -> {
        Guard guard = Guard.named("a", context -> context.has("a"));
        yield Flow.toFirst(Flow.arc(guard, target(count)), Flow.otherwiseTo(target(count)));
      }
      default -> Flow.to(node == count - 1 ? Node.END : target(count));
    };
  }
}

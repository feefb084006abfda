package dev.damask.verify;

import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/// Small workflows by chance: sound ones, and ones that are wrong in every way there is.
final class RandomTerms {
  private final SplittableRandom random;
  private final boolean plain;
  private int names;
  private boolean called = true;

  private Leaves leaves = new Leaves() {};

  /// Makes the tasks.
  interface Leaves {
    default Term pure(String name) {
      return Flow.task(name, context -> context);
    }

    default Term effect(String name) {
      return Flow.effect(name);
    }
  }

  /// What guards answer when the workflow is run and not checked.
  private final BooleanSupplier coin;

  /// The scopes around what is made next, which a break may end.
  private List<String> around = List.of();

  RandomTerms(long seed, boolean plain) {
    this(seed, plain, () -> true);
  }

  RandomTerms(long seed, boolean plain, BooleanSupplier coin) {
    this.coin = coin;
    this.random = new SplittableRandom(seed);
    this.plain = plain;
  }

  /// Makes workflows of other tasks.
  RandomTerms with(Leaves changed) {
    leaves = changed;
    return this;
  }

  /// A workflow of about so many leaves.
  WorkflowDefinition workflow(int size) {
    Term body = random.nextInt(3) == 0 ? graph(size) : term(size);
    WorkflowDefinition workflow = Flow.workflow("random", body);
    if (plain) {
      return workflow;
    }
    Place mutex = Place.mutex("x");
    Place external = Place.external("e");
    Place inner = Place.internal("p");
    called = false; // a definition that calls itself has no end
    Term definition = random.nextBoolean() ? leaf() : term(size);
    called = true;
    WorkflowDefinition result =
        workflow
            .withPlaces(mutex, external, inner)
            .withDefinitions(Flow.definition("F", definition));
    return random.nextInt(5) == 0 ? result.withMode(Mode.EXPLICIT) : result;
  }

  private Guard guard() {
    return Guard.named("g" + random.nextInt(3), context -> coin.getAsBoolean());
  }

  private Term leaf() {
    String name = "t" + names++;
    int kind = random.nextInt(plain ? 3 : 13);
    return switch (kind) {
      case 0, 4 -> leaves.effect(name);
      case 3 -> Flow.emit("p");
      case 5 -> Flow.take("p");
      case 6 -> random.nextBoolean() ? Flow.kill("R") : Flow.complete("R");
      case 7 -> Flow.take("e");
      case 8 -> around.isEmpty() ? Flow.breakOut("case") : Flow.breakOut(pick(around));
      case 9 -> random.nextInt(4) == 0 ? Flow.kill("case") : leaves.effect(name);
      case 11 -> called ? Flow.call("F") : leaves.pure(name);
      case 10 -> random.nextInt(4) == 0 ? Flow.fail("planned") : leaves.effect(name);
      default -> leaves.pure(name);
    };
  }

  Term term(int size) {
    if (size <= 1) {
      return fixed(leaf());
    }
    int kind = random.nextInt(plain ? 8 : 17);
    return switch (kind) {
      case 0, 1 -> Flow.seq(parts(size, 2));
      case 2, 3 -> new Term.Par(List.of(parts(size, 2)), merge());
      case 4 -> Flow.xor(Flow.when(guard(), half(size)), Flow.otherwise(half(size)));
      case 5 -> Flow.repeatWhile(guard(), half(size));
      case 6 -> Flow.anyOf(parts(size, 2));
      case 7 -> plain ? plainInstances() : instances(size);
      case 8 -> join(size);
      case 9 -> Flow.scope("R", inside("R", size));
      case 10 -> Flow.holding("H", "x", inside("H", size));
      case 11 ->
          Flow.defer(
              Flow.taking("p", half(size)),
              random.nextBoolean()
                  ? Flow.expired(half(size))
                  : Flow.after(Duration.ofSeconds(1), half(size)));
      case 12 -> Flow.scope("C", ScopeOptions.catching(half(size)), inside("C", size));
      case 13 -> milestone(size);
      case 14 -> Flow.during(random.nextInt(3) == 0 ? "p" : "q", half(size), half(size));
      case 15 -> open(size);
      default -> random.nextBoolean() ? Flow.repeat(2, half(size)) : graph(size);
    };
  }

  /// A kill needs a scope of its name somewhere; one around it will do.
  private Term fixed(Term leaf) {
    return leaf instanceof Term.Kill kill && kill.name().equals("R") && !around.contains("R")
        ? Flow.scope("R", leaf)
        : leaf;
  }

  private Term inside(String name, int size) {
    List<String> outer = around;
    around = new ArrayList<>(outer);
    around.add(name);
    Term body = half(size);
    around = outer;
    return body;
  }

  /// A scope that marks a place, and perhaps somebody beside it who looks at the place.
  private Term milestone(int size) {
    ScopeOptions options = random.nextInt(4) == 0 ? timed() : ScopeOptions.NONE;
    Term marking = Flow.scope("M", options.marking("q"), inside("M", size));
    return random.nextBoolean()
        ? marking
        : Flow.par(marking, Flow.during("q", half(size), half(size)));
  }

  private ScopeOptions timed() {
    return new ScopeOptions(
        Duration.ofSeconds(2), random.nextBoolean() ? leaf() : null, null, false, null);
  }

  /// A set of instances that is open, beside one who adds and perhaps closes it.
  private Term open(int size) {
    InstancePolicy policy = InstancePolicy.fixed(random.nextInt(2));
    policy = random.nextInt(3) == 0 ? policy.opened() : policy.openUntilClosed();
    Term set = Flow.instances("o", policy, inside("o", size));
    Term closing =
        switch (random.nextInt(4)) {
          case 0 -> Flow.emit("o.close");
          case 1 -> Flow.seq(Flow.emit("o.add"), Flow.emit("o.close"));
          case 2 -> Flow.seq(leaves.effect("t" + names++), Flow.emit("o.close"));
          default -> Flow.emit("o.add");
        };
    return Flow.par(set, closing);
  }

  private Merge merge() {
    return switch (random.nextInt(8)) {
      case 0 -> Merge.collect("k");
      case 1 -> Merge.Standard.COLLECT;
      case 2 -> Merge.Standard.FAIL;
      default -> Merge.Standard.LAST;
    };
  }

  private String pick(List<String> options) {
    return options.get(random.nextInt(options.size()));
  }

  private Term half(int size) {
    return term(Math.max(1, size / 2));
  }

  private Term[] parts(int size, int count) {
    Term[] parts = new Term[count];
    for (int i = 0; i < count; i++) {
      parts[i] = term(Math.max(1, size / count));
    }
    return parts;
  }

  private Term plainInstances() {
    Term body = Flow.seq(leaves.pure("i" + names++), plainLeaf());
    return Flow.instances("m" + names++, InstancePolicy.fixed(1 + random.nextInt(3)), body);
  }

  private Term plainLeaf() {
    return random.nextBoolean()
        ? leaves.effect("t" + names++)
        : Flow.anyOf(leaves.effect("t" + names++), leaves.pure("t" + names++));
  }

  private Term instances(int size) {
    InstancePolicy policy = InstancePolicy.fixed(1 + random.nextInt(2));
    if (random.nextInt(3) == 0) {
      policy = policy.need(1);
    }
    if (random.nextInt(3) == 0) {
      policy = policy.rest(JoinPolicy.Rest.CANCEL);
    }
    String name = "m" + names++;
    return Flow.instances(name, policy, inside(name, size));
  }

  private Term join(int size) {
    return switch (random.nextInt(4)) {
      case 0 -> Flow.join(JoinPolicy.firstComplete(), parts(size, 2));
      case 1 -> Flow.join(JoinPolicy.partial(1), parts(size, 2));
      case 2 ->
          Flow.join(
              JoinPolicy.syncMerge(),
              Flow.when(guard(), half(size)),
              Flow.when(guard(), half(size)));
      default -> Flow.join(JoinPolicy.detach(), parts(size, 2));
    };
  }

  /// A graph of a few nodes with arcs by chance; every join names all its sources.
  Term graph(int size) {
    int count = 2 + random.nextInt(Math.min(4, Math.max(2, size)));
    List<Split> splits = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      splits.add(split(i, count));
    }
    Split start = random.nextInt(4) == 0 ? Flow.toAll("n0", "n1") : Flow.to("n0");
    Map<Integer, TreeSet<String>> sources = new TreeMap<>();
    start.targets().forEach(target -> note(sources, target, Node.START));
    for (int i = 0; i < count; i++) {
      String source = "n" + i;
      splits.get(i).targets().forEach(target -> note(sources, target, source));
    }
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<String> from = List.copyOf(sources.getOrDefault(i, new TreeSet<>()));
      Term body = plain ? plainNode() : random.nextInt(4) == 0 ? half(size) : plainNode();
      nodes.add(new Node("n" + i, nodeJoin(from), body, splits.get(i)));
    }
    Node[] all = nodes.toArray(Node[]::new);
    return plain || random.nextInt(4) > 0
        ? Flow.graph(start, all)
        : Flow.graphUntilFirst(start, all);
  }

  private Term plainNode() {
    return random.nextInt(3) == 0 ? leaves.effect("t" + names++) : leaves.pure("t" + names++);
  }

  private static void note(Map<Integer, TreeSet<String>> sources, String target, String source) {
    if (!target.equals(Node.END)) {
      sources
          .computeIfAbsent(Integer.parseInt(target.substring(1)), key -> new TreeSet<>())
          .add(source);
    }
  }

  private Node.@org.jspecify.annotations.Nullable Join nodeJoin(List<String> from) {
    if (from.size() < 2 || random.nextInt(3) == 0) {
      return null;
    }
    int kind = plain ? 0 : random.nextInt(5);
    return switch (kind) {
      case 0, 1 -> {
        Map<String, Integer> weights = new LinkedHashMap<>();
        from.forEach(source -> weights.put(source, 1));
        yield new Node.Join.And(weights, !plain && random.nextInt(3) == 0);
      }
      case 2 -> new Node.Join.Or(from, false);
      case 3 -> new Node.Join.Blocking(1, from, false);
      default -> new Node.Join.Cancelling(1, from, List.of("n0"), false);
    };
  }

  /// Mostly forward, sometimes back.
  private String target(int node, int count) {
    if (random.nextInt(5) == 0) {
      return "n" + random.nextInt(count);
    }
    int next = node + 1 + random.nextInt(2);
    return next < count ? "n" + next : Node.END;
  }

  private Split split(int node, int count) {
    String one = target(node, count);
    String two = target(node, count);
    if (one.equals(two)) {
      return Flow.to(one);
    }
    return switch (random.nextInt(plain ? 3 : 4)) {
      case 0 -> Flow.to(one);
      case 1 -> Flow.toAll(one, two);
      case 2 -> Flow.toFirst(Flow.arc(guard(), one), Flow.otherwiseTo(two));
      default -> Flow.toEach(Flow.arc(guard(), one), Flow.arc(guard(), two));
    };
  }

  static Expression free() {
    return Expression.named("n", context -> 1L);
  }
}

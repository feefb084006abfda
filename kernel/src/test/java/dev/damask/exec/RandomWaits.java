package dev.damask.exec;

import dev.damask.task.Guard;
import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Limits;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Small random workflows in which a join or a wait depends on branches that get stuck and can be
/// freed: by kills, additions, undo, time limits, failures and marks. They are small enough for
/// every future of a state to be searched.
final class RandomWaits {
  static final List<String> SIGNALS = List.of("e", "f");
  private static final Limits LIMITS = new Limits(2_000, 100, 3, 12, 40, 20, 20_000, 60);

  private final SplittableRandom random;
  private int tasks;
  private int nodes;

  RandomWaits(long seed) {
    this.random = new SplittableRandom(seed);
  }

  WorkflowDefinition workflow() {
    Term main = chance(3) ? waits() : around(graph());
    List<Definition> definitions =
        List.of(new Definition("F", List.of(Place.internal("l")), body(1)));
    return new WorkflowDefinition(
        "w",
        "",
        "",
        Mode.IMPLICIT,
        Context.empty(),
        List.of(Place.mutex("x"), Place.external("e"), Place.external("f")),
        definitions,
        LIMITS,
        Flow.seq(main, names()));
  }

  /// Keeps every name the generator uses in the text, so that kills and calls are well formed.
  private Term names() {
    Term never =
        Flow.seq(
            Flow.scope("r", effect()),
            Flow.scope("s", effect()),
            Flow.call("F"),
            Flow.instances("m", InstancePolicy.fixed(1).opened(), effect()));
    return Flow.xor(
        Flow.when(Guard.named("false", c -> false), never), Flow.otherwise(Flow.skip()));
  }

  private boolean chance(int of) {
    return random.nextInt(of) == 0;
  }

  /// Branches beside a wait that can expire.
  private Term waits() {
    List<Term> branches = new ArrayList<>();
    branches.add(body(2));
    if (!chance(4)) {
      branches.add(Flow.seq(effect(), freeing()));
    }
    branches.add(chance(3) ? Flow.seq(effect(), expiring()) : expiring());
    if (chance(4)) {
      branches.add(expiring());
    }
    return Flow.join(JoinPolicy.syncMerge(), branches.toArray(Term[]::new));
  }

  private Term expiring() {
    if (chance(5)) {
      return Flow.during(chance(2) ? "q" : "p", effect(), body(0));
    }
    List<Alternative> alternatives = new ArrayList<>();
    alternatives.add(
        chance(2)
            ? Flow.testing(place(), effect())
            : chance(4)
                ? Flow.takingAll(List.of("p", chance(2) ? "q" : "e"), Flow.skip())
                : Flow.taking(place(), body(0)));
    alternatives.add(Flow.expired(body(0)));
    return new Term.Defer(alternatives);
  }

  private Term around(Term graph) {
    return switch (random.nextInt(4)) {
      case 0 -> Flow.par(graph, body(1));
      case 1 -> Flow.join(JoinPolicy.syncMerge(), body(1), graph);
      case 2 -> Flow.seq(Flow.scope("r", graph), body(0));
      default -> graph;
    };
  }

  /// A graph whose branches meet at a join that has to look ahead.
  private Term graph() {
    List<Node> all = new ArrayList<>();
    List<String> starts = new ArrayList<>();
    List<String> sources = new ArrayList<>();
    int level = nodes++;
    int feeding = 2 + random.nextInt(2);
    for (int i = 0; i < feeding; i++) {
      String id = "n" + level + "x" + i;
      boolean splits = chance(4);
      all.add(
          Flow.node(
              id,
              i == 0 && !chance(3) ? effect() : body(2),
              splits ? Flow.toAll("j" + level, "end") : Flow.to("j" + level)));
      starts.add(id);
      sources.add(id);
    }
    if (!chance(4)) {
      String id = "k" + level;
      all.add(Flow.node(id, Flow.seq(effect(), freeing()), Flow.to("end")));
      starts.add(id);
    }
    Split after = chance(6) ? Flow.to("n" + level + "x0") : Flow.to("end");
    Term body = chance(3) ? body(0) : effect();
    all.add(Flow.node("j" + level, join(sources), body, after));
    Mode mode = chance(4) ? Mode.EXPLICIT : Mode.IMPLICIT;
    return new Term.Graph(mode, Merge.Standard.NEWEST, new Split.And(starts), all);
  }

  private Node.Join join(List<String> sources) {
    int k = 1 + random.nextInt(sources.size());
    return switch (random.nextInt(6)) {
      case 0, 1, 2 -> new Node.Join.Or(sources, false);
      case 3 -> new Node.Join.Blocking(1 + random.nextInt(sources.size() - 1), sources, chance(2));
      case 4 -> {
        Map<String, Integer> weights = new LinkedHashMap<>();
        sources.forEach(source -> weights.put(source, 1));
        yield new Node.Join.And(weights, true);
      }
      default -> new Node.Join.Cancelling(k, sources, List.of(sources.getFirst()), true);
    };
  }

  private Term body(int depth) {
    if (depth == 0) {
      return leaf();
    }
    return switch (random.nextInt(12)) {
      case 0 -> leaf();
      case 1, 2 -> Flow.seq(body(depth - 1), body(depth - 1));
      case 3, 4 -> scope(depth);
      case 5 -> block(depth);
      case 6 -> instances(depth);
      case 7 -> inner(depth);
      case 8 -> Flow.anyOf(body(depth - 1), body(depth - 1));
      case 9 -> new Term.Cancel("s", List.of("x"), ScopeOptions.NONE, body(depth - 1));
      case 10 -> Flow.seq(stuck(), body(depth - 1));
      default -> chance(2) ? expiring() : Flow.call("F");
    };
  }

  private Term leaf() {
    return switch (random.nextInt(8)) {
      case 0, 1 -> stuck();
      case 2 -> freeing();
      case 4 -> undoable();
      default -> effect();
    };
  }

  private String place() {
    return List.of("p", "p", "q", "e", "nowhere", "l").get(random.nextInt(6));
  }

  private Term stuck() {
    return chance(6)
        ? new Term.Defer(List.of(Flow.takingAll(List.of("e", place2()), Flow.skip())))
        : Flow.take(place());
  }

  private String place2() {
    return chance(2) ? "p" : "f";
  }

  private Term freeing() {
    return switch (random.nextInt(5)) {
      case 0, 1 -> Flow.emit(List.of("p", "q", "l").get(random.nextInt(3)));
      case 2 -> Flow.emit(chance(3) ? "m.close" : "m.add");
      default -> {
        String name = List.of("r", "s", "m").get(random.nextInt(3));
        yield chance(2) ? Flow.kill(name) : Flow.complete(name);
      }
    };
  }

  private Term.Task effect() {
    return Flow.effect("E" + tasks++);
  }

  private Term undoable() {
    Term.Task task = chance(2) ? effect() : Play.pure("t" + tasks++);
    return task.undo(freeing());
  }

  private Term scope(int depth) {
    boolean timed = chance(5);
    @Nullable Term onTimeout = timed && chance(2) ? body(0) : null;
    @Nullable Term handler = chance(3) ? body(0) : null;
    ScopeOptions options =
        new ScopeOptions(timed ? Duration.ofSeconds(1) : null, onTimeout, handler, chance(2), null);
    Term inside = chance(3) ? Flow.seq(undoable(), body(depth - 1)) : body(depth - 1);
    String name = chance(2) ? "r" : "s";
    if (chance(5)) {
      Term breaking = Flow.seq(effect(), Flow.breakOut(name));
      inside = Flow.join(JoinPolicy.syncMerge(), breaking, inside);
    }
    return Flow.scope(name, chance(6) ? options.marking("q") : options, inside);
  }

  private Term block(int depth) {
    JoinPolicy.Need need =
        chance(2) ? new JoinPolicy.Need.Sync() : new JoinPolicy.Need.Count(1 + random.nextInt(2));
    return Flow.join(
        new JoinPolicy(
            need,
            chance(2) ? JoinPolicy.Rest.CANCEL : JoinPolicy.Rest.DRAIN,
            chance(2) ? JoinPolicy.Shortage.ABORT : JoinPolicy.Shortage.SHRINK,
            Merge.Standard.LAST),
        body(depth - 1),
        body(depth - 1));
  }

  private Term instances(int depth) {
    InstancePolicy policy = InstancePolicy.fixed(1 + random.nextInt(2));
    policy = chance(4) ? policy : chance(4) ? policy.openUntilClosed() : policy.opened();
    policy = chance(2) ? policy.need(1 + random.nextInt(2)) : policy;
    policy = chance(2) ? policy.rest(JoinPolicy.Rest.CANCEL) : policy;
    Term later =
        Flow.xor(
            Flow.when(Guard.named("first", c -> Long.valueOf(1).equals(c.get("index"))), stuck()),
            Flow.otherwise(body(0)));
    return Flow.instances("m", policy, chance(3) ? later : body(depth - 1));
  }

  /// A graph inside of a body.
  private Term inner(int depth) {
    if (depth > 1 && chance(3)) {
      return graph();
    }
    int level = nodes++;
    String a = "a" + level;
    String b = "b" + level;
    return new Term.Graph(
        chance(3) ? Mode.EXPLICIT : Mode.IMPLICIT,
        Merge.Standard.NEWEST,
        new Split.And(List.of(a, b)),
        List.of(
            Flow.node(a, body(depth - 1), Flow.to("end")),
            Flow.node(b, body(depth - 1), Flow.to("end"))));
  }
}

package dev.damask.check;

import static dev.damask.check.KeyTable.EVERY;
import static dev.damask.check.KeyTable.meet;
import static dev.damask.check.KeyTable.plus;

import dev.damask.check.KeyAccess.Reads;
import dev.damask.task.Guard;
import dev.damask.term.Alternative;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Term;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The keys that each term of one body writes, computed from the leaves to the root.
///
/// Keys are never removed, so a term adds the same keys whatever the context holds. Each term is
/// therefore visited once, also inside loops and graphs.
final class BodyKeys {
  /// The keys that a term adds.
  ///
  /// @param always the keys on every path through it, or [KeyTable#EVERY] if no path completes
  /// @param possible the keys on some path
  /// @param exits the keys on every path to a `break`, by the name of the scope that it ends
  /// @param isWithdrawn whether it contains a scope that some `kill` cancels
  record Added(BitSet always, BitSet possible, Map<String, BitSet> exits, boolean isWithdrawn) {
    static final Added NOTHING =
        new Added(new BitSet(), new BitSet(), Collections.emptyMap(), false);

    static Added of(BitSet always, BitSet possible) {
      return new Added(always, possible, Collections.emptyMap(), false);
    }

    boolean completes() {
      return always != EVERY;
    }
  }

  private final KeyFacts facts;
  private final TermList outline;
  private final int[][] parts;
  private final Added[] added;
  private final Map<Integer, GraphKeys> graphs = new HashMap<>();

  BodyKeys(KeyFacts facts, TermList outline) {
    this.facts = facts;
    this.outline = outline;
    this.parts = outline.parts();
    this.added = new Added[outline.size()];
  }

  /// Computes all terms and returns the keys that the whole body adds.
  Added summarise() {
    for (int at = outline.size() - 1; at >= 0; at--) {
      facts.visits++;
      added[at] = term(at);
    }
    return added[0];
  }

  TermList outline() {
    return outline;
  }

  int[] parts(int at) {
    return parts[at];
  }

  Added added(int at) {
    return added[at];
  }

  GraphKeys graph(int at) {
    GraphKeys graph = graphs.get(at);
    if (graph == null) {
      throw new IllegalStateException("not a graph: " + outline.get(at).path());
    }
    return graph;
  }

  private Added term(int at) {
    return switch (outline.get(at).term()) {
      case Term.Task task ->
          FlowCheck.isFailing(task)
              ? Added.of(EVERY, new BitSet())
              : facts.added(facts.access.writes(task));
      case Term.Emit _ -> Added.NOTHING;
      case Term.Kill(var name, var outcome) -> kill(at, name, outcome);
      case Term.Call call -> facts.called(call);
      case Term.Seq _ -> sequence(at);
      case Term.Par(_, var merge) -> par(at, merge);
      case Term.Xor(var choices) -> xor(at, choices);
      case Term.Join(var policy, var branches) -> join(at, policy, branches);
      case Term.Loop(var policy, _) -> loop(at, policy);
      case Term.Defer(var alternatives) -> defer(at, alternatives);
      case Term.Cancel cancel -> scope(at, cancel);
      case Term.Mi mi -> instances(at, mi);
      case Term.Graph graph -> graph(at, graph);
      case Term.Processes _ -> facts.added(KeyAccess.Writes.UNKNOWN);
    };
  }

  private Added kill(int at, String name, Term.Kill.Outcome outcome) {
    boolean isCase = name.equals("case");
    if (outcome == Term.Kill.Outcome.BREAK || (isCase && outcome == Term.Kill.Outcome.COMPLETE)) {
      return new Added(EVERY, new BitSet(), Collections.singletonMap(name, new BitSet()), false);
    }
    boolean ends = isCase || outline.isInside(at, name);
    return ends ? Added.of(EVERY, new BitSet()) : Added.NOTHING;
  }

  private Added sequence(int at) {
    Sum sum = new Sum();
    BitSet always = new BitSet();
    for (int part : parts[at]) {
      sum.add(added[part], always);
      if (!added[part].completes()) {
        return sum.result(EVERY);
      }
      always.or(added[part].always());
    }
    return sum.result(always);
  }

  private Added par(int at, Merge merge) {
    Sum sum = new Sum();
    BitSet always = facts.merged(merge);
    for (int part : parts[at]) {
      sum.add(added[part], new BitSet());
      always = plus(always, added[part].always());
    }
    sum.possible.or(facts.merged(merge));
    return sum.result(always);
  }

  private Added xor(int at, List<Term.Choice> choices) {
    Sum sum = new Sum();
    BitSet always = EVERY;
    BitSet passed = new BitSet();
    for (int i = 0; i < choices.size(); i++) {
      Guard guard = choices.get(i).guard();
      Reads reads = guard == null ? Reads.NONE : facts.access.guardReads(guard);
      if (!Constants.isFalse(guard)) {
        BitSet tested = plus(passed, facts.keys.set(reads.whenTrue()));
        Added branch = added[parts[at][i]];
        sum.add(branch, tested);
        always = meet(always, plus(tested, branch.always()));
      }
      if (Constants.isTrue(guard)) {
        break;
      }
      passed.or(facts.keys.set(reads.whenFalse()));
    }
    return sum.result(always);
  }

  private Added join(int at, JoinPolicy policy, List<Term.Choice> choices) {
    BitSet[] delivered = new BitSet[choices.size()];
    boolean[] isCertain = new boolean[choices.size()];
    boolean shrinks = policy.shortage() == JoinPolicy.Shortage.SHRINK;
    boolean isShort = false;
    Sum sum = new Sum();
    BitSet passed = new BitSet();
    for (int i = 0; i < delivered.length; i++) {
      Term.Choice choice = choices.get(i);
      Added branch = added[parts[at][i]];
      Reads reads = choice.guard() == null ? Reads.NONE : facts.access.guardReads(choice.guard());
      BitSet tested =
          choice.otherwise() ? (BitSet) passed.clone() : facts.keys.set(reads.whenTrue());
      passed.or(facts.keys.set(reads.whenFalse()));
      sum.add(branch, tested);
      delivered[i] = Constants.isFalse(choice.guard()) ? EVERY : plus(tested, branch.always());
      boolean isSelected =
          !choice.otherwise() && (choice.guard() == null || Constants.isTrue(choice.guard()));
      boolean dies = shrinks && (branch.isWithdrawn() || delivered[i] == EVERY);
      isCertain[i] = isSelected && !dies;
      isShort |= shrinks && !isCertain[i];
    }
    BitSet merged = facts.merged(policy.merge());
    if (policy.need() instanceof JoinPolicy.Need.Count(var k) && k == 0) {
      sum.forgetPossible();
      return sum.result(new BitSet());
    }
    sum.possible.or(merged);
    BitSet always =
        policy.need() instanceof JoinPolicy.Need.Count(var k) && !(isShort && k > 1)
            ? KeyFacts.atLeast(k, List.of(delivered), facts.keys.size())
            : selected(delivered, isCertain, policy.need());
    return sum.result(plus(always, merged));
  }

  /// Returns the keys after a join that waits for all branches that were selected.
  private static BitSet selected(BitSet[] delivered, boolean[] isCertain, JoinPolicy.Need need) {
    BitSet always = new BitSet();
    BitSet any = EVERY;
    boolean some = false;
    for (int i = 0; i < delivered.length; i++) {
      any = meet(any, delivered[i]);
      if (isCertain[i] && !(need instanceof JoinPolicy.Need.Count)) {
        some = true;
        always = plus(always, delivered[i]);
      }
    }
    return some ? always : any;
  }

  private Added loop(int at, LoopPolicy policy) {
    Added body = added[parts[at][0]];
    Sum sum = new Sum();
    BitSet before = new BitSet();
    BitSet always =
        switch (policy) {
          case LoopPolicy.While(var guard) -> {
            Reads reads = facts.access.guardReads(guard);
            before = facts.keys.set(reads.whenTrue());
            yield Constants.isTrue(guard) ? EVERY : facts.keys.set(reads.whenFalse());
          }
          case LoopPolicy.Until(var guard) ->
              Constants.isFalse(guard)
                  ? EVERY
                  : plus(body.always(), facts.keys.set(facts.access.guardReads(guard).whenTrue()));
          case LoopPolicy.Count(var count) ->
              count.folded().parts().number().orElse(0) > 0 ? body.always() : new BitSet();
        };
    sum.add(body, before);
    return sum.result(always);
  }

  private Added defer(int at, List<Alternative> alternatives) {
    Sum sum = new Sum();
    BitSet always = EVERY;
    for (int i = 0; i < alternatives.size(); i++) {
      Added taken = facts.taken(alternatives.get(i));
      Added then = added[parts[at][i]];
      sum.add(taken, new BitSet());
      sum.add(then, taken.always());
      always = meet(always, plus(taken.always(), then.always()));
    }
    return sum.result(always);
  }

  private Added scope(int at, Term.Cancel cancel) {
    Sum sum = new Sum();
    BitSet always = EVERY;
    for (int part : parts[at]) {
      String step = outline.get(part).step();
      Added inner = added[part];
      BitSet before = new BitSet();
      if (step.equals(".catch")) {
        Added failure = facts.added(facts.access.failure(cancel));
        sum.possible.or(failure.possible());
        before = failure.always();
      }
      if (step.equals(".do")) {
        sum.add(inner, before);
        sum.exits.remove(cancel.name());
        always = meet(always, inner.exits().getOrDefault(cancel.name(), EVERY));
      } else {
        sum.add(inner, before);
      }
      always = meet(always, plus(before, inner.always()));
    }
    sum.isWithdrawn |= facts.withdrawn.contains(cancel.name());
    return sum.result(facts.completed.contains(cancel.name()) ? new BitSet() : always);
  }

  /// A set of instances gives only the values that it collects.
  private Added instances(int at, Term.Mi mi) {
    Added body = added[parts[at][0]];
    Added collected = facts.added(facts.access.collects(mi));
    Sum sum = new Sum();
    Added instance = facts.instance(mi);
    sum.add(body, instance.always());
    sum.exits.remove(mi.name());
    if (sum.exits.isEmpty()) {
      sum.forgetPossible();
    } else {
      sum.possible.or(instance.possible()); // a break leaves with the data of its instance
    }
    sum.possible.or(collected.possible());
    sum.isWithdrawn |= facts.withdrawn.contains(mi.name());
    InstancePolicy policy = mi.policy();
    boolean waits =
        policy.count().folded().parts().instances().orElse(0) > 0
            && !policy.isOpen()
            && !(policy.need() instanceof InstancePolicy.Need.Count)
            && !body.exits().containsKey(mi.name())
            && !facts.completed.contains(mi.name());
    return sum.result(waits && !body.completes() ? EVERY : collected.always());
  }

  private Added graph(int at, Term.Graph graph) {
    Added[] bodies = new Added[parts[at].length];
    for (int i = 0; i < bodies.length; i++) {
      bodies[i] = added[parts[at][i]];
    }
    GraphKeys keys = new GraphKeys(facts, graph, bodies);
    graphs.put(at, keys);
    Sum sum = new Sum();
    for (int i = 0; i < bodies.length; i++) {
      if (keys.always(i) != EVERY) {
        sum.add(bodies[i], keys.always(i));
      }
    }
    sum.possible.or(keys.possibleAtEnd());
    return sum.result(keys.alwaysAtEnd());
  }

  /// Collects the parts of a term.
  private static final class Sum {
    final BitSet possible = new BitSet();
    final Map<String, BitSet> exits = new HashMap<>();
    boolean isWithdrawn;

    /// Adds a part that begins with these keys besides those of the term.
    void add(Added part, BitSet before) {
      possible.or(part.possible());
      isWithdrawn |= part.isWithdrawn();
      part.exits().forEach((name, keys) -> exits.merge(name, plus(before, keys), KeyTable::meet));
    }

    void forgetPossible() {
      possible.clear();
    }

    Added result(BitSet always) {
      return new Added(
          always, possible, exits.isEmpty() ? Collections.emptyMap() : exits, isWithdrawn);
    }
  }
}

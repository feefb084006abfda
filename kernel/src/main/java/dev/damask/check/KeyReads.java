package dev.damask.check;

import static dev.damask.check.KeyTable.EVERY;

import dev.damask.check.BodyKeys.Added;
import dev.damask.check.KeyAccess.Reads;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.term.Alternative;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Node;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// Follows the keys of one body from its entry to the leaves and reports each read and each call.
final class KeyReads {
  /// What exists at some place.
  ///
  /// @param always the keys on every path to it
  /// @param possible the keys on some path to it
  record Known(BitSet always, BitSet possible) {
    static final Known NOTHING = new Known(new BitSet(), new BitSet());

    Known plus(Added added) {
      return new Known(
          KeyTable.plus(always, added.always()), KeyTable.plus(possible, added.possible()));
    }

    Known plus(BitSet tested) {
      return tested.isEmpty() && tested != EVERY
          ? this
          : new Known(KeyTable.plus(always, tested), KeyTable.plus(possible, tested));
    }

    boolean isReached() {
      return always != EVERY;
    }
  }

  /// Receives what a body does with its keys.
  interface Sink {
    void read(TermPath place, Reads reads, Known known);

    void call(Term.Call call, Known known);

    void conflict(TermPath place, int key, TermPath one, TermPath other);
  }

  private final KeyFacts facts;
  private final BodyKeys body;
  private final Sink sink;
  private final @Nullable Known[] known;

  KeyReads(KeyFacts facts, BodyKeys body, Sink sink) {
    this.facts = facts;
    this.body = body;
    this.sink = sink;
    this.known = new @Nullable Known[body.outline().size()];
  }

  /// Follows the body from the given keys.
  void follow(Known start) {
    known[0] = start;
    for (int at = 0; at < known.length; at++) {
      Known here = known[at];
      known[at] = null;
      if (here != null && here.isReached()) {
        facts.visits++;
        visit(at, here);
      }
    }
  }

  private TermPath path(int at) {
    return body.outline().get(at).path();
  }

  private Added added(int at) {
    return body.added(at);
  }

  /// Continues at a part. A leaf without parts is visited at once, because the sets change.
  private void enter(int part, Known here) {
    known[part] = here;
  }

  private void visit(int at, Known here) {
    int[] parts = body.parts(at);
    switch (body.outline().get(at).term()) {
      case Term.Task task -> {
        facts.access.reads(task).forEach(reads -> sink.read(path(at), reads, here));
        for (int part : parts) {
          enter(part, here.plus(added(at)));
        }
      }
      case Term.Seq _ -> sequence(parts, here);
      case Term.Par(_, var merge) -> {
        conflicts(at, parts, merge);
        for (int part : parts) {
          enter(part, here);
        }
      }
      case Term.Xor(var choices) -> choices(at, choices, here, true);
      case Term.Join(var policy, var branches) -> {
        if (!(policy.need() instanceof JoinPolicy.Need.Count(var k) && k < 2)) {
          conflicts(at, parts, policy.merge());
        }
        choices(at, branches, here, false);
      }
      case Term.Loop(var policy, _) -> loop(at, policy, here);
      case Term.Defer(var alternatives) -> defer(parts, alternatives, here);
      case Term.Cancel cancel -> scope(parts, cancel, here);
      case Term.Mi mi -> instances(at, mi, here);
      case Term.Emit(_, var payload) ->
          payload
              .values()
              .forEach(value -> sink.read(path(at), facts.access.valueReads(value), here));
      case Term.Kill(var name, var outcome) -> {
        if (name.equals("case") && outcome != Term.Kill.Outcome.WITHDRAW) {
          end(path(at), here);
        }
      }
      case Term.Call call -> call(at, call, here);
      case Term.Graph graph -> graph(at, graph, here);
      case Term.Processes _ -> {}
    }
  }

  /// A definition with arguments starts with these keys alone.
  private void call(int at, Term.Call call, Known here) {
    SortedMap<String, Expression> arguments = call.arguments();
    if (arguments == null) {
      sink.call(call, here);
      return;
    }
    arguments.values().forEach(value -> sink.read(path(at), facts.access.valueReads(value), here));
    BitSet keys = facts.keys.set(arguments.keySet());
    sink.call(call, new Known(keys, keys));
  }

  /// Reports the read of the workflow's result where the case completes.
  void end(TermPath place, Known here) {
    Set<String> result = facts.access.result();
    if (!result.isEmpty() && here.isReached()) {
      sink.read(place, new Reads("the result", result), here);
    }
  }

  private void sequence(int[] parts, Known here) {
    BitSet always = (BitSet) here.always().clone();
    BitSet possible = (BitSet) here.possible().clone();
    Known now = new Known(always, possible);
    for (int part : parts) {
      if (body.parts(part).length == 0) {
        facts.visits++;
        visit(part, now);
      } else {
        enter(part, new Known((BitSet) always.clone(), (BitSet) possible.clone()));
      }
      if (!added(part).completes()) {
        return;
      }
      always.or(added(part).always());
      possible.or(added(part).possible());
    }
  }

  private void choices(int at, List<Term.Choice> choices, Known here, boolean inOrder) {
    BitSet passed = new BitSet();
    for (int i = 0; i < choices.size(); i++) {
      Guard guard = choices.get(i).guard();
      Reads reads = guard == null ? Reads.NONE : facts.access.guardReads(guard);
      boolean sees = inOrder || choices.get(i).otherwise();
      Known before = sees ? here.plus((BitSet) passed.clone()) : here;
      sink.read(path(at), reads, before);
      if (!Constants.isFalse(guard)) {
        enter(body.parts(at)[i], before.plus(facts.keys.set(reads.whenTrue())));
      }
      if (inOrder && Constants.isTrue(guard)) {
        return;
      }
      passed.or(facts.keys.set(reads.whenFalse()));
    }
  }

  /// A round can find the keys of the rounds before it.
  private void loop(int at, LoopPolicy policy, Known here) {
    int part = body.parts(at)[0];
    Added round = added(part);
    Known again = new Known(here.always(), KeyTable.plus(here.possible(), round.possible()));
    switch (policy) {
      case LoopPolicy.While(var guard) -> {
        Reads reads = facts.access.guardReads(guard);
        sink.read(path(at), reads, again);
        if (!Constants.isFalse(guard)) {
          enter(part, again.plus(facts.keys.set(reads.whenTrue())));
        }
      }
      case LoopPolicy.Until(var guard) -> {
        if (round.completes()) {
          sink.read(path(at), facts.access.guardReads(guard), again.plus(round));
        }
        enter(part, again);
      }
      case LoopPolicy.Count(var count) -> {
        sink.read(path(at), facts.access.valueReads(count), here);
        enter(part, again);
      }
    }
  }

  private void defer(int[] parts, List<Alternative> alternatives, Known here) {
    for (int i = 0; i < parts.length; i++) {
      enter(parts[i], here.plus(facts.taken(alternatives.get(i))));
    }
  }

  private void scope(int[] parts, Term.Cancel cancel, Known here) {
    for (int part : parts) {
      boolean isCatch = body.outline().get(part).step().equals(".catch");
      enter(part, isCatch ? here.plus(facts.added(facts.access.failure(cancel))) : here);
    }
  }

  private void instances(int at, Term.Mi mi, Known here) {
    InstancePolicy policy = mi.policy();
    sink.read(path(at), facts.access.valueReads(policy.count()), here);
    if (policy.need() instanceof InstancePolicy.Need.Count(var count)) {
      sink.read(path(at), facts.access.valueReads(count), here);
    } else if (policy.need() instanceof InstancePolicy.Need.When(var condition)) {
      sink.read(path(at), facts.access.conditionReads(condition), here);
    }
    int part = body.parts(at)[0];
    Known inside = here.plus(facts.instance(mi));
    enter(part, inside);
    Set<String> collected = facts.access.collected(mi);
    if (!collected.isEmpty() && added(part).completes()) {
      Known end = inside.plus(added(part));
      sink.read(path(at), new Reads("collect", collected), end);
    }
  }

  private void graph(int at, Term.Graph graph, Known here) {
    GraphKeys keys = body.graph(at);
    arcs(path(at), graph.start(), here);
    for (int i = 0; i < graph.nodes().size(); i++) {
      if (keys.always(i) == EVERY) {
        continue;
      }
      Node node = graph.nodes().get(i);
      int part = body.parts(at)[i];
      Known begun = here.plus(Added.of(keys.always(i), keys.possible(i)));
      enter(part, begun);
      if (added(part).completes()) {
        arcs(path(part), node.then(), begun.plus(added(part)));
      }
    }
  }

  private void arcs(TermPath place, Split split, Known here) {
    List<Split.Arc> arcs =
        switch (split) {
          case Split.Xor(var all) -> all;
          case Split.Or(var all) -> all;
          case Split.To _, Split.And _, Split.Copies _ -> List.of();
        };
    BitSet passed = new BitSet();
    for (Split.Arc each : arcs) {
      if (each.guard() != null) {
        Reads reads = facts.access.guardReads(each.guard());
        sink.read(place, reads, split instanceof Split.Xor ? here.plus(passed) : here);
        passed.or(facts.keys.set(reads.whenFalse()));
      }
    }
  }

  /// Reports the keys that two branches can write and the merge does not settle.
  private void conflicts(int at, int[] parts, Merge merge) {
    BitSet written = new BitSet();
    BitSet reported = new BitSet();
    for (int part : parts) {
      BitSet both = (BitSet) added(part).possible().clone();
      both.and(written);
      both.clear(KeyTable.OTHERS);
      both.andNot(reported);
      both.stream()
          .filter(key -> !facts.access.settles(merge, facts.keys.name(key)))
          .forEach(key -> {
            int first = 0;
            while (!added(parts[first]).possible().get(key)) {
              first++;
            }
            sink.conflict(path(at), key, path(parts[first]), path(part));
          });
      reported.or(both);
      written.or(added(part).possible());
    }
  }
}

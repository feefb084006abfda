package dev.damask.check;

import static dev.damask.check.KeyTable.EVERY;
import static dev.damask.check.KeyTable.meet;
import static dev.damask.check.KeyTable.plus;

import dev.damask.check.BodyKeys.Added;
import dev.damask.check.KeyAccess.Reads;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.Split;
import dev.damask.term.Term;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The keys in one graph besides those on entry, by data flow over its arcs.
///
/// Forward, it computes the keys with which each node begins. Backward, it computes the keys that a
/// token and its successors surely write until an implicit graph ends, because such a graph ends
/// only when every token has ended and takes the data of all.
final class GraphKeys {
  /// The maximum number of passes. Few graphs need more than three; others are cut off safely.
  private static final int PASSES_MAX = 50;

  private static final int START = -1;

  /// An arc, with the keys whose existence its guards have tested.
  private record Arc(int from, int to, BitSet tested) {}

  private final KeyFacts facts;
  private final Term.Graph graph;
  private final Added[] bodies;
  private final Map<String, Integer> numbers = new HashMap<>();

  /// The arcs in, the last entry those to the end; and the arcs out, the last entry those from the
  /// start.
  private final List<List<Arc>> into = new ArrayList<>();

  private final List<List<Arc>> out = new ArrayList<>();
  private final BitSet[] always;
  private final BitSet[] possible;
  private final int[] order;
  private BitSet alwaysAtEnd = EVERY;
  private BitSet possibleAtEnd = new BitSet();

  GraphKeys(KeyFacts facts, Term.Graph graph, Added[] bodies) {
    this.facts = facts;
    this.graph = graph;
    this.bodies = bodies;
    int size = bodies.length;
    for (int i = 0; i < size; i++) {
      numbers.put(graph.nodes().get(i).id(), i);
    }
    numbers.put(Node.END, size);
    for (int i = 0; i <= size; i++) {
      into.add(new ArrayList<>());
      out.add(new ArrayList<>());
    }
    for (int i = 0; i < size; i++) {
      arcs(i, graph.nodes().get(i).then());
    }
    arcs(START, graph.start());
    this.always = new BitSet[size];
    this.possible = new BitSet[size];
    this.order = new int[size];
    run();
  }

  /// Returns the keys with which a node surely begins, or [KeyTable#EVERY] if it never does.
  BitSet always(int node) {
    return always[node];
  }

  BitSet possible(int node) {
    return possible[node];
  }

  BitSet alwaysAtEnd() {
    return alwaysAtEnd;
  }

  BitSet possibleAtEnd() {
    return possibleAtEnd;
  }

  private void arcs(int from, Split split) {
    BitSet passed = new BitSet();
    switch (split) {
      case Split.Xor(var arcs) -> {
        for (Split.Arc each : arcs) {
          Reads reads = each.guard() == null ? Reads.NONE : facts.access.guardReads(each.guard());
          if (!Constants.isFalse(each.guard())) {
            BitSet tested = plus(passed, facts.keys.set(reads.whenTrue()));
            arc(from, each.target(), tested);
          }
          if (Constants.isTrue(each.guard())) {
            break;
          }
          passed.or(facts.keys.set(reads.whenFalse()));
        }
      }
      case Split.Or(var arcs) -> {
        for (Split.Arc each : arcs) {
          Reads reads = each.guard() == null ? Reads.NONE : facts.access.guardReads(each.guard());
          if (!Constants.isFalse(each.guard())) {
            arc(from, each.target(), each.otherwise() ? passed : facts.keys.set(reads.whenTrue()));
          }
        }
      }
      case Split.To(var target) -> arc(from, target, passed);
      case Split.Copies(_, var target) -> arc(from, target, passed);
      case Split.And(var targets) -> targets.forEach(target -> arc(from, target, new BitSet()));
    }
  }

  private void arc(int from, String target, BitSet tested) {
    Integer to = numbers.get(target);
    if (to != null) {
      Arc arc = new Arc(from, to, (BitSet) tested.clone());
      into.get(to).add(arc);
      out.get(from == START ? bodies.length : from).add(arc);
    }
  }

  private void run() {
    sort();
    Arrays.fill(always, EVERY);
    Arrays.setAll(possible, node -> new BitSet());
    boolean changes = true;
    for (int pass = 0; changes && pass < PASSES_MAX; pass++) {
      changes = false;
      for (int node : order) {
        facts.visits++;
        changes |= forward(node);
      }
    }
    if (changes) {
      giveUp();
    }
    possibleAtEnd = possibleInto(bodies.length);
    BitSet arriving = EVERY;
    for (Arc arc : into.get(bodies.length)) {
      arriving = meet(arriving, leaving(arc));
    }
    boolean takesAll = graph.mode() == Mode.IMPLICIT && arriving != EVERY && !changes;
    alwaysAtEnd = takesAll ? plus(arriving, future()) : arriving;
  }

  /// Nothing is certain but the keys on entry, and everything is possible.
  private void giveUp() {
    BitSet all = new BitSet();
    Arrays.stream(bodies).forEach(body -> all.or(body.possible()));
    for (int node = 0; node < bodies.length; node++) {
      always[node] = new BitSet();
      possible[node] = all;
    }
  }

  /// Orders the nodes so that most come after those before them: few passes are then enough.
  private void sort() {
    int size = bodies.length;
    int[] next = new int[size + 1];
    boolean[] isSeen = new boolean[size + 1];
    int[] stack = new int[size + 1];
    int depth = 0;
    int free = size;
    stack[depth++] = size; // the start
    isSeen[size] = true;
    while (depth > 0) {
      int node = stack[depth - 1];
      List<Arc> arcs = out.get(node);
      if (next[node] < arcs.size()) {
        int to = arcs.get(next[node]++).to();
        if (!isSeen[to]) {
          isSeen[to] = true;
          stack[depth++] = to;
        }
      } else {
        depth--;
        if (node != size) {
          order[--free] = node;
        }
      }
    }
    for (int node = 0; node < size; node++) {
      if (!isSeen[node]) {
        order[--free] = node;
      }
    }
  }

  private boolean forward(int node) {
    BitSet keys = arriving(node);
    BitSet more = possibleInto(node);
    if (KeyTable.isSame(keys, always[node]) && more.equals(possible[node])) {
      return false;
    }
    always[node] = keys;
    possible[node] = more;
    return true;
  }

  private BitSet leaving(Arc arc) {
    if (arc.from() == START) {
      return arc.tested();
    }
    BitSet begun = always[arc.from()];
    return begun == EVERY ? EVERY : plus(plus(begun, bodies[arc.from()].always()), arc.tested());
  }

  private BitSet possibleInto(int node) {
    BitSet keys = new BitSet();
    for (Arc arc : into.get(node)) {
      keys.or(arc.tested());
      if (arc.from() != START) {
        keys.or(possible[arc.from()]);
        keys.or(bodies[arc.from()].possible());
      }
    }
    return keys;
  }

  private BitSet arriving(int node) {
    Node.Join join = graph.nodes().get(node).join();
    if (join == null) {
      BitSet keys = EVERY;
      for (Arc arc : into.get(node)) {
        keys = meet(keys, leaving(arc));
      }
      return keys;
    }
    List<BitSet> delivered = new ArrayList<>();
    for (String source : join.sources()) {
      int from = source.equals(Node.START) ? START : numbers.getOrDefault(source, bodies.length);
      BitSet keys = EVERY;
      for (Arc arc : into.get(node)) {
        keys = arc.from() == from ? meet(keys, leaving(arc)) : keys;
      }
      delivered.add(keys);
    }
    int needed =
        switch (join) {
          case Node.Join.And _ -> delivered.size();
          case Node.Join.Or _ -> 1;
          case Node.Join.Blocking(var k, _, _) -> k;
          case Node.Join.Cancelling(var k, _, _, _) -> k;
        };
    return KeyFacts.atLeast(needed, delivered, facts.keys.size());
  }

  /// What becomes of a token that arrives somewhere, until the graph has ended.
  ///
  /// @param keys the keys that it or its successors surely write, with data that reach the end
  /// @param survives whether the data it arrives with surely reach the end
  private record Future(BitSet keys, boolean survives) {
    static final Future ENDED = new Future(new BitSet(), true);
    static final Future LOST = new Future(new BitSet(), false);

    boolean isSame(Future other) {
      return survives == other.survives && KeyTable.isSame(keys, other.keys);
    }
  }

  /// Returns the keys that the tokens of the start and their successors surely write.
  private BitSet future() {
    Set<String> lost = new HashSet<>();
    for (Node node : graph.nodes()) {
      if (node.join() instanceof Node.Join.Cancelling(_, _, var cancel, _)) {
        lost.addAll(cancel);
      }
    }
    Future[] later = new Future[bodies.length];
    Arrays.fill(later, new Future(EVERY, true));
    boolean changes = true;
    for (int pass = 0; changes; pass++) {
      if (pass == PASSES_MAX) {
        return new BitSet();
      }
      changes = false;
      for (int i = order.length - 1; i >= 0; i--) {
        facts.visits++;
        Future found = future(order[i], later, lost);
        changes |= !found.isSame(later[order[i]]);
        later[order[i]] = found;
      }
    }
    BitSet keys = split(graph.start(), bodies.length, later).keys();
    return keys == EVERY ? new BitSet() : keys;
  }

  private Future future(int number, Future[] later, Set<String> lost) {
    Node node = graph.nodes().get(number);
    Node.Join join = node.join();
    // A join of some sources drops the tokens that come too late.
    boolean takesAll =
        join == null || join instanceof Node.Join.And || join instanceof Node.Join.Or;
    boolean isDropped = !takesAll || (join != null && join.abort());
    if (isDropped || lost.contains(node.id()) || bodies[number].isWithdrawn()) {
      return Future.LOST;
    }
    Future next = split(node.then(), number, later);
    BitSet keys = next.survives() ? plus(bodies[number].always(), next.keys()) : next.keys();
    return new Future(keys, next.survives());
  }

  private Future split(Split split, int from, Future[] later) {
    boolean takesAll = split instanceof Split.And;
    BitSet keys = takesAll ? new BitSet() : EVERY;
    boolean survives = !takesAll;
    for (Arc arc : out.get(from)) {
      Future target = arc.to() == bodies.length ? Future.ENDED : later[arc.to()];
      keys = takesAll ? plus(keys, target.keys()) : meet(keys, target.keys());
      survives = takesAll ? survives || target.survives() : survives && target.survives();
    }
    return new Future(keys, survives);
  }
}

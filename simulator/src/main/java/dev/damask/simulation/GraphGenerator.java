package dev.damask.simulation;

import dev.damask.term.Flow;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.Split;
import dev.damask.term.Term;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/// Generates random graphs with every kind of split and join, including cycles.
final class GraphGenerator {
  private final Choices choices;
  private final Supplier<Term> bodies;

  GraphGenerator(Choices choices, Supplier<Term> bodies) {
    this.choices = choices;
    this.bodies = bodies;
  }

  Term graph() {
    int count = 2 + choices.next(4);
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add("n" + i);
    }
    Split start = start(ids);
    List<Split> splits = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      splits.add(split(ids, i));
    }
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Term body = choices.oneIn(3) ? Flow.skip() : bodies.get();
      nodes.add(nodeOf(ids, i, body, start, splits));
    }
    Mode mode = choices.oneIn(4) ? Mode.EXPLICIT : Mode.IMPLICIT;
    Merge merge = choices.oneIn(5) ? Merge.Standard.OVERLAY : Merge.Standard.NEWEST;
    return new Term.Graph(mode, merge, start, nodes);
  }

  private Split start(List<String> ids) {
    if (choices.oneIn(5)) {
      return new Split.Copies(2, ids.getFirst());
    }
    return choices.oneIn(2) ? Flow.to(ids.getFirst()) : Flow.toAll(ids.get(0), ids.get(1));
  }

  /// Generates a split that mostly leads forward, sometimes back, and sometimes to the end.
  private Split split(List<String> ids, int node) {
    String one = target(ids, node);
    String other = target(ids, node);
    return switch (choices.next(6)) {
      case 0 -> Flow.toAll(one, other.equals(one) ? Node.END : other);
      case 1 -> Flow.toFirst(Flow.arc(guard(), one), Flow.otherwiseTo(other));
      case 2 -> Flow.toEach(Flow.arc(guard(), one), Flow.otherwiseTo(other));
      default -> Flow.to(one);
    };
  }

  private String target(List<String> ids, int node) {
    if (choices.oneIn(8)) {
      return ids.get(choices.next(ids.size()));
    }
    int ahead = node + 1 + choices.next(2);
    return ahead < ids.size() ? ids.get(ahead) : Node.END;
  }

  private dev.damask.task.Guard guard() {
    String key = TermGenerator.KEYS.get(choices.next(TermGenerator.KEYS.size()));
    return TermGenerator.guard(key, choices.next(2));
  }

  private Node nodeOf(List<String> ids, int index, Term body, Split start, List<Split> splits) {
    String id = ids.get(index);
    Set<String> sources = new LinkedHashSet<>();
    if (start.targets().contains(id)) {
      sources.add(Node.START);
    }
    for (int i = 0; i < ids.size(); i++) {
      if (splits.get(i).targets().contains(id)) {
        sources.add(ids.get(i));
      }
    }
    List<String> from = List.copyOf(sources);
    if (from.size() < 2 && !(from.size() == 1 && choices.oneIn(6))) {
      return Flow.node(id, body, splits.get(index));
    }
    boolean abort = choices.oneIn(3);
    int k = 1 + choices.next(from.size());
    return switch (choices.next(6)) {
      case 0 -> Flow.node(id, and(from, abort), body, splits.get(index));
      case 1, 2 -> Flow.node(id, new Node.Join.Or(from, abort), body, splits.get(index));
      case 3 -> Flow.node(id, new Node.Join.Blocking(k, from, abort), body, splits.get(index));
      case 4 -> {
        List<String> region = ids.subList(0, 1 + choices.next(ids.size()));
        Node.Join join = new Node.Join.Cancelling(k, from, region, abort);
        yield Flow.node(id, join, body, splits.get(index));
      }
      default -> Flow.node(id, body, splits.get(index));
    };
  }

  private Node.Join and(List<String> from, boolean abort) {
    Map<String, Integer> weights = new LinkedHashMap<>();
    from.forEach(source -> weights.put(source, choices.oneIn(6) ? 2 : 1));
    return new Node.Join.And(weights, abort);
  }
}

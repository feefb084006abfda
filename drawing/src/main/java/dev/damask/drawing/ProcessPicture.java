package dev.damask.drawing;

import dev.damask.task.Guard;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.Split;
import dev.damask.term.StepNode;
import dev.damask.term.Term;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/// Converts process instances to a graph that can be drawn: an arc for each spawn, labelled with
/// its outcome, and for each join one arc from the step that declares it and one from each of its
/// sources.
final class ProcessPicture {
  private final List<StepNode> steps;
  private final Map<String, Map<String, String>> arcs = new LinkedHashMap<>();

  private ProcessPicture(List<StepNode> steps) {
    this.steps = steps;
  }

  static Term.Graph of(List<StepNode> steps) {
    return new ProcessPicture(steps).graph();
  }

  private Term.Graph graph() {
    steps.forEach(step -> arcs.put(step.id(), new LinkedHashMap<>()));
    for (StepNode step : steps) {
      branch(step, "valid", step.onValid());
      branch(step, "invalid", step.onInvalid());
    }
    List<Node> nodes = new ArrayList<>();
    for (StepNode step : steps) {
      Map<String, String> out = Objects.requireNonNull(arcs.get(step.id()));
      nodes.add(new Node(node(step.id()), null, step.task(), split(out)));
    }
    return new Term.Graph(Mode.IMPLICIT, Merge.Standard.NEWEST, start(), nodes);
  }

  private void branch(StepNode step, String outcome, StepNode.Branch branch) {
    branch.spawns().forEach(spawn -> arc(step.id(), spawn, outcome));
    StepNode.GroupJoin join = branch.join();
    if (join != null) {
      String rest = join.kills() ? " kill" : " drain";
      String words = outcome + ": join " + join.need() + " of " + join.from().size() + rest;
      arc(step.id(), join.target(), words);
      for (StepNode.Source from : join.from()) {
        String when = from.when().name().toLowerCase(java.util.Locale.ROOT);
        arc(from.step(), join.target(), "delivers " + when);
      }
    }
  }

  private void arc(String from, String to, String words) {
    Objects.requireNonNull(arcs.get(from))
        .merge(to, words, (one, other) -> one.equals(other) ? one : one + ", " + other);
  }

  /// Returns the start of the diagram: the steps without incoming arcs. A case may start at any
  /// step.
  private Split start() {
    TreeSet<String> led = new TreeSet<>();
    arcs.values().forEach(targets -> led.addAll(targets.keySet()));
    List<String> first =
        steps.stream().map(StepNode::id).filter(id -> !led.contains(id)).map(this::node).toList();
    if (first.isEmpty()) {
      first = List.of(node(steps.getFirst().id()));
    }
    return first.size() == 1 ? new Split.To(first.getFirst()) : new Split.And(first);
  }

  private Split split(Map<String, String> out) {
    if (out.isEmpty()) {
      return new Split.To(Node.END);
    }
    List<Split.Arc> ways = new ArrayList<>();
    out.forEach(
        (to, words) -> ways.add(new Split.Arc(Guard.named(words, c -> true), false, node(to))));
    return new Split.Or(ways);
  }

  /// Returns the node id of a step. A step may have the name of a graph's start or end; a node may
  /// not.
  private String node(String id) {
    return id.equals(Node.START) || id.equals(Node.END) ? id + " " : id;
  }
}

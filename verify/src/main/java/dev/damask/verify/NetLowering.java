package dev.damask.verify;

import dev.damask.term.Flow;
import dev.damask.term.Node;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.verify.pnml.PetriNet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Converts a net to a workflow with one graph, so that the machine can run it.
///
/// A transition becomes a node with an AND-join over its input places. A place becomes a node that
/// sends its token to one of its consumers. This is the same net only if a place alone makes each
/// choice, so a place with several consumers must be the only input of each. Other nets cannot be
/// converted.
final class NetLowering {
  private final PetriNet net;
  private final List<List<Integer>> takers = new ArrayList<>();

  private NetLowering(PetriNet net) {
    this.net = net;
    net.places().forEach(place -> takers.add(new ArrayList<>()));
    for (int t = 0; t < net.transitions().size(); t++) {
      for (PetriNet.Arc arc : net.transitions().get(t).inputs()) {
        takers.get(arc.place()).add(t);
      }
    }
  }

  /// Returns the workflow of a net. Empty if the net cannot be converted.
  static Optional<WorkflowDefinition> lower(PetriNet net) {
    NetLowering lowering = new NetLowering(net);
    return lowering.fits() ? Optional.of(lowering.run()) : Optional.empty();
  }

  private boolean fits() {
    int marked = 0;
    for (int place = 0; place < net.places().size(); place++) {
      marked += net.places().get(place).tokens();
      if (takers.get(place).size() > 1) {
        for (int t : takers.get(place)) {
          if (net.transitions().get(t).inputs().size() > 1) {
            return false;
          }
        }
      }
    }
    for (PetriNet.Transition transition : net.transitions()) {
      boolean single =
          transition.inputs().stream().allMatch(arc -> arc.weight() == 1)
              && transition.outputs().stream().allMatch(arc -> arc.weight() == 1);
      if (transition.inputs().isEmpty() || transition.outputs().isEmpty() || !single) {
        return false;
      }
    }
    return marked == 1;
  }

  private WorkflowDefinition run() {
    List<Node> nodes = new ArrayList<>();
    String start = "";
    for (int place = 0; place < net.places().size(); place++) {
      if (net.places().get(place).tokens() > 0) {
        start = "p" + place;
      }
      nodes.add(new Node("p" + place, null, Flow.skip(), choice(takers.get(place))));
    }
    for (int t = 0; t < net.transitions().size(); t++) {
      PetriNet.Transition transition = net.transitions().get(t);
      Map<String, Integer> sources = new LinkedHashMap<>();
      transition.inputs().forEach(arc -> sources.put("p" + arc.place(), 1));
      Term body = Flow.task("t" + t, context -> context);
      Node.Join join = sources.size() == 1 ? null : new Node.Join.And(sources, false);
      nodes.add(new Node("t" + t, join, body, fork(transition.outputs())));
    }
    return Flow.workflow("net", Flow.graph(Flow.to(start), nodes.toArray(Node[]::new)));
  }

  private static Split choice(List<Integer> targets) {
    if (targets.isEmpty()) {
      return Flow.to(Node.END);
    }
    if (targets.size() == 1) {
      return Flow.to("t" + targets.getFirst());
    }
    return new Split.Xor(targets.stream().map(t -> new Split.Arc(null, false, "t" + t)).toList());
  }

  private static Split fork(List<PetriNet.Arc> outputs) {
    List<String> targets = outputs.stream().map(arc -> "p" + arc.place()).toList();
    return targets.size() == 1 ? Flow.to(targets.getFirst()) : new Split.And(targets);
  }
}

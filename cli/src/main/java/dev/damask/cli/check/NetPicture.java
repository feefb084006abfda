package dev.damask.cli.check;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;

import dev.damask.drawing.Drawing;
import dev.damask.drawing.Marks;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.verify.Counterexample;
import dev.damask.verify.Violation;
import dev.damask.verify.pnml.PetriNet;
import dev.damask.verify.pnml.PnmlReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A net as a graph to be drawn: transitions are its tasks, places the nodes between them.
final class NetPicture {
  private static final int NAME_MAX = 28;

  /// The path of the graph.
  private static final String GRAPH = "do";

  private final PetriNet net;

  private NetPicture(PetriNet net) {
    this.net = net;
  }

  /// The net of a file that something is wrong with.
  static String svg(Path file, Violation violation) {
    Set<String> fired = new TreeSet<>();
    violation.counterexample().steps().forEach(step -> fired.add(step.subject()));
    List<PetriNet> nets = PnmlReader.readAll(file);
    for (PetriNet net : nets) {
      if (net.transitions().stream().map(PetriNet.Transition::id).toList().containsAll(fired)) {
        return svg(net, violation);
      }
    }
    return svg(nets.getFirst(), null);
  }

  /// The first net of a file.
  static String svg(Path file) {
    return svg(PnmlReader.readAll(file).getFirst(), null);
  }

  /// @param violation what is wrong with it, to be drawn over the diagram; null for nothing
  private static String svg(PetriNet net, @Nullable Violation violation) {
    NetPicture picture = new NetPicture(net);
    Marks marks = violation == null ? Marks.NONE : picture.marks(violation);
    return Drawing.svg(workflow(net.name().isEmpty() ? "net" : net.name(), picture.graph()), marks);
  }

  private Term.Graph graph() {
    List<Node> nodes = new ArrayList<>();
    List<String> marked = new ArrayList<>();
    for (int i = 0; i < net.places().size(); i++) {
      List<Split.Arc> takers = new ArrayList<>();
      for (int t = 0; t < net.transitions().size(); t++) {
        int place = i;
        if (net.transitions().get(t).inputs().stream().anyMatch(arc -> arc.place() == place)) {
          takers.add(new Split.Arc(null, false, transition(t)));
        }
      }
      Split then =
          takers.size() < 2
              ? to(takers.stream().map(Split.Arc::target).toList())
              : new Split.Xor(takers);
      nodes.add(new Node(place(i), null, skip(), then));
      if (net.places().get(i).tokens() > 0) {
        marked.add(place(i));
      }
    }
    for (int t = 0; t < net.transitions().size(); t++) {
      PetriNet.Transition transition = net.transitions().get(t);
      Map<String, Integer> weights = new TreeMap<>();
      transition
          .inputs()
          .forEach(arc -> weights.merge(place(arc.place()), arc.weight(), Integer::sum));
      List<String> given = transition.outputs().stream().map(arc -> place(arc.place())).toList();
      Node.Join join = weights.size() < 2 ? null : new Node.Join.And(weights, false);
      nodes.add(new Node(transition(t), join, effect(name(transition)), to(given)));
    }
    return new Term.Graph(Mode.IMPLICIT, Merge.Standard.NEWEST, to(marked), nodes);
  }

  /// To all of them; to the end when there is none.
  private static Split to(List<String> targets) {
    return switch (targets.size()) {
      case 0 -> new Split.To(Node.END);
      case 1 -> new Split.To(targets.getFirst());
      default -> new Split.And(targets);
    };
  }

  private static String name(PetriNet.Transition transition) {
    return shown(transition.name().isEmpty() ? transition.id() : transition.name(), 0);
  }

  /// A text as a name may be; a number keeps apart what would look alike.
  private static String shown(String text, int index) {
    String plain = text.replaceAll("\\p{Cntrl}", " ").strip();
    String cut = plain.length() > NAME_MAX ? plain.substring(0, NAME_MAX) + "…" : plain;
    return cut.equals(text) && !cut.isEmpty() ? cut : cut + " (" + index + ")";
  }

  /// Ids of places and transitions may be the same, and those of nodes may not.
  private String place(int index) {
    return "place " + shown(net.places().get(index).id(), index);
  }

  private String transition(int index) {
    return "transition " + shown(net.transitions().get(index).id(), index);
  }

  /// The transitions that fire, the arcs their tokens take, and the tokens at the end.
  private Marks marks(Violation violation) {
    Marks marks = Marks.NONE;
    int[] tokens = new int[net.places().size()];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = net.places().get(i).tokens();
      marks = tokens[i] > 0 ? marks.withArc(GRAPH, Node.START, place(i)) : marks;
    }
    String last = "";
    for (Counterexample.Step step : violation.counterexample().steps()) {
      int index = index(step.subject());
      last = body(transition(index));
      marks = marks.withStep(last);
      for (PetriNet.Arc arc : net.transitions().get(index).inputs()) {
        tokens[arc.place()] -= arc.weight();
        marks = marks.withArc(GRAPH, place(arc.place()), transition(index));
      }
      for (PetriNet.Arc arc : net.transitions().get(index).outputs()) {
        tokens[arc.place()] += arc.weight();
        marks = marks.withArc(GRAPH, transition(index), place(arc.place()));
      }
    }
    for (int i = 0; i < tokens.length; i++) {
      marks = tokens[i] > 0 ? marks.withTokens(body(place(i)), tokens[i]) : marks;
    }
    return last.isEmpty()
        ? marks
        : marks.withState(last, Marks.State.FAILED).withNote(last, violation.sentence());
  }

  private static String body(String node) {
    return GRAPH + ".graph.nodes." + node + ".do";
  }

  private int index(String transition) {
    return net.transitions().stream().map(PetriNet.Transition::id).toList().indexOf(transition);
  }
}

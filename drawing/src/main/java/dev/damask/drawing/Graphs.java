package dev.damask.drawing;

import dev.damask.drawing.Label.Font;
import dev.damask.drawing.Net.Vertex;
import dev.damask.drawing.Shape.Anchor;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.Split;
import dev.damask.term.Term;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Draws graphs: builds the net, lays it out in layers, and frames it if it is part of a larger
/// diagram.
final class Graphs {
  private static final int ID = 16;

  private final Term.Graph graph;
  private final Map<String, Integer> index = new LinkedHashMap<>();

  /// The marks of a graph and its path; null for a diagram without marks.
  private final @Nullable Marked marked;

  /// The marks of a graph.
  record Marked(Marking marking, String path) {
    Marking.NodeMark node(String id) {
      return marking.node(
          id.equals(Node.START) ? path + ".graph.start" : path + ".graph.nodes." + id);
    }
  }

  private Graphs(Term.Graph graph, @Nullable Marked marked) {
    this.graph = graph;
    this.marked = marked;
  }

  static Block of(Term.Graph graph, List<Block> bodies, boolean isInner, @Nullable Marked marked) {
    Block net = new Graphs(graph, marked).net(bodies);
    List<String> badges =
        graph.mode() == Mode.EXPLICIT ? List.of("ends with the first token") : List.of();
    Block block = isInner || !badges.isEmpty() ? Frames.frame("frame", "", badges, 0, net) : net;
    return block.kind("graph");
  }

  private Block net(List<Block> bodies) {
    index.put(Node.START, 0);
    graph.nodes().forEach(node -> index.put(node.id(), index.size()));
    for (String target : targets()) {
      if (!target.equals(Node.END)) {
        index.putIfAbsent(target, index.size());
      }
    }
    index.put(Node.END, index.size());
    Net plan = new Net();
    index.keySet().forEach(id -> plan.add(null));
    connect(plan);
    Net net = new Net();
    stations(plan, bodies).forEach(net::add);
    connect(net);
    highlight(net);
    Layering.assign(net);
    Ordering.assign(net);
    Levels.assign(net);
    Lanes.chooseSides(net);
    Ordering.sortPorts(net);
    Levels.assign(net);
    return new Routes(net).draw();
  }

  private void highlight(Net net) {
    if (marked != null) {
      for (Net.Edge edge : net.edges) {
        edge.isTaken =
            marked.marking().isTaken(marked.path(), id(net, edge.from), id(net, edge.to));
      }
    }
  }

  private Marking.@Nullable NodeMark mark(String id) {
    return marked == null ? null : marked.node(id);
  }

  private List<String> targets() {
    List<String> targets = new ArrayList<>(graph.start().targets());
    graph.nodes().forEach(node -> targets.addAll(node.then().targets()));
    return targets;
  }

  private void connect(Net net) {
    connect(net, net.vertices.getFirst(), graph.start());
    for (Node node : graph.nodes()) {
      connect(net, vertex(net, node.id()), node.then());
    }
    for (Node node : graph.nodes()) {
      if (node.join() instanceof Node.Join.And(var weights, var abort)) {
        for (Net.Edge edge : vertex(net, node.id()).in) {
          int weight = weights.getOrDefault(id(net, edge.from), 1);
          edge.weight = weight > 1 ? "×" + weight : "";
        }
      }
    }
  }

  private void connect(Net net, Vertex from, Split split) {
    switch (split) {
      case Split.To(var target) -> net.connect(from, vertex(net, target), "");
      case Split.And(var targets) ->
          targets.forEach(target -> net.connect(from, vertex(net, target), ""));
      case Split.Xor(var arcs) -> arcs.forEach(arc -> connect(net, from, arc));
      case Split.Or(var arcs) -> arcs.forEach(arc -> connect(net, from, arc));
      case Split.Copies(int count, var target) ->
          net.connect(from, vertex(net, target), "×" + count);
    }
  }

  private void connect(Net net, Vertex from, Split.Arc arc) {
    String words = arc.otherwise() ? "else" : arc.guard() == null ? "" : arc.guard().text();
    net.connect(from, vertex(net, arc.target()), words);
  }

  private Vertex vertex(Net net, String id) {
    return net.vertices.get(index.getOrDefault(id, 0));
  }

  private String id(Net net, Vertex vertex) {
    return List.copyOf(index.keySet()).get(net.vertices.indexOf(vertex));
  }

  /// Returns the stations of all vertices in the order of their index.
  private List<Station> stations(Net plan, List<Block> bodies) {
    List<Station> stations = new ArrayList<>();
    Vertex start = plan.vertices.getFirst();
    stations.add(
        new Station(null, null, graph.start(), start.in, start.out).marked(mark(Node.START)));
    for (int i = 0; i < graph.nodes().size(); i++) {
      Node node = graph.nodes().get(i);
      Vertex vertex = plan.vertices.get(i + 1);
      Block core = core(node, bodies.get(i));
      Marking.NodeMark mark = mark(node.id());
      if (mark != null && !mark.mark().note().isEmpty()) {
        core = Marking.noted(core, mark.mark().note());
      }
      stations.add(new Station(core, node.join(), node.then(), vertex.in, vertex.out).marked(mark));
    }
    for (String id : List.copyOf(index.keySet()).subList(stations.size(), index.size() - 1)) {
      Vertex vertex = vertex(plan, id);
      Block missing = Leaves.plain("missing", "no node " + id);
      stations.add(new Station(missing, null, null, vertex.in, vertex.out));
    }
    Vertex end = plan.vertices.getLast();
    stations.add(new Station(null, null, null, end.in, end.out));
    return stations;
  }

  private Block core(Node node, Block body) {
    if (Leaves.isSkip(node.body()) && !body.kind.equals("noted")) {
      Block plain = Leaves.plain("pass", node.id());
      return marked == null
          ? plain
          : marked.marking().mark(plain, marked.path() + ".graph.nodes." + node.id() + ".do");
    }
    boolean isLeaf =
        switch (node.body()) {
          case Term.Task task -> Leaves.isOneLine(task);
          case Term.Emit emit -> true;
          case Term.Kill kill -> true;
          case Term.Call call -> true;
          case Term.Seq seq -> false;
          case Term.Par par -> false;
          case Term.Xor xor -> false;
          case Term.Join join -> false;
          case Term.Loop loop -> false;
          case Term.Defer defer -> false;
          case Term.Cancel cancel -> false;
          case Term.Mi mi -> false;
          case Term.Graph inner -> false;
          case Term.Processes inner -> false;
        };
    if (!isLeaf) {
      return Frames.frame("frame", node.id(), List.of(), 0, body).kind("group");
    }
    if (node.body() instanceof Term.Task task && task.name().equals(node.id().strip())) {
      return body; // its box already shows the name
    }
    Label id = Label.of(node.id(), Font.SMALL);
    // The id is next to the badges if both fit, otherwise above them.
    boolean beside = body.badges > 0 && id.width() + body.badges + 8 <= body.width;
    int header = beside ? 0 : ID;
    Block named =
        new Block(
            Math.max(body.width, id.width()),
            body.height + header,
            header + body.entry,
            header + body.exit);
    named.isSolid = body.isSolid;
    named.isTaken = body.isTaken;
    named.ends = body.ends;
    if (beside) {
      named.text("small", 2, Marking.ROOM - 8, Anchor.START, id);
    } else {
      named.text("small", named.width / 2, ID - 5, Anchor.MIDDLE, id);
    }
    if (body.width < named.width && !body.ends) {
      named.rail(false, body.width, named.exit, named.width, named.exit);
    }
    return named.place(body, 0, header);
  }
}

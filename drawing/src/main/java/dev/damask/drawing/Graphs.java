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

/// Graphs: builds the net, lets it be laid out in layers, and frames it when it is part of more.
final class Graphs {
  private static final int ID = 16;

  private final Term.Graph graph;
  private final Map<String, Integer> index = new LinkedHashMap<>();

  private Graphs(Term.Graph graph) {
    this.graph = graph;
  }

  static Block of(Term.Graph graph, List<Block> bodies, boolean isInner) {
    Block net = new Graphs(graph).net(bodies);
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
    Layering.assign(net);
    Ordering.assign(net);
    Levels.assign(net);
    Lanes.chooseSides(net);
    Ordering.sortPorts(net);
    Levels.assign(net);
    return new Routes(net).draw();
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

  /// What is drawn at each vertex, in the order of the index.
  private List<Station> stations(Net plan, List<Block> bodies) {
    List<Station> stations = new ArrayList<>();
    Vertex start = plan.vertices.getFirst();
    stations.add(new Station(null, null, graph.start(), start.in, start.out));
    for (int i = 0; i < graph.nodes().size(); i++) {
      Node node = graph.nodes().get(i);
      Vertex vertex = plan.vertices.get(i + 1);
      Block core = core(node, bodies.get(i));
      stations.add(new Station(core, node.join(), node.then(), vertex.in, vertex.out));
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

  private static Block core(Node node, Block body) {
    if (Leaves.isSkip(node.body()) && !body.kind.equals("noted")) {
      Block plain = Leaves.plain("pass", node.id());
      plain.path = body.path;
      plain.over.addAll(body.over);
      return plain;
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
    Label id = Label.of(node.id(), Font.SMALL);
    Block named =
        new Block(
            Math.max(body.width, id.width()), body.height + ID, ID + body.entry, ID + body.exit);
    named.isSolid = body.isSolid;
    named.ends = body.ends;
    named.text("small", named.width / 2, ID - 5, Anchor.MIDDLE, id);
    if (body.width < named.width && !body.ends) {
      named.rail(false, body.width, named.exit, named.width, named.exit);
    }
    return named.place(body, 0, ID);
  }
}

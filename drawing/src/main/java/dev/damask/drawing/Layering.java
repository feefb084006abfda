package dev.damask.drawing;

import dev.damask.drawing.Net.Edge;
import dev.damask.drawing.Net.Link;
import dev.damask.drawing.Net.Vertex;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/// Finds the back edges, assigns a layer to every vertex, and adds bends to long edges.
final class Layering {
  /// The maximum number of bends. Beyond it, long edges run around the layers, because readers do
  /// not follow single edges in such a large diagram.
  static final int BENDS_MAX = 4_000;

  private Layering() {}

  static void assign(Net net) {
    List<Vertex> order = downstream(net);
    Vertex end = net.vertices.getLast();
    int last = 0;
    for (Vertex vertex : order) {
      for (Edge edge : vertex.in) {
        if (!edge.isAround) {
          vertex.layer = Math.max(vertex.layer, edge.from.layer + 1);
        }
      }
      last = vertex == end ? last : Math.max(last, vertex.layer);
    }
    end.layer = last + 1;
    for (int i = 0; i <= end.layer; i++) {
      net.layers.add(new ArrayList<>());
    }
    net.vertices.forEach(vertex -> net.layers.get(vertex.layer).add(vertex));
    bend(net);
  }

  /// Marks the edges that close a cycle and returns the vertices in an order in which all other
  /// edges lead forward.
  private static List<Vertex> downstream(Net net) {
    List<Vertex> finished = new ArrayList<>();
    Set<Vertex> seen = new HashSet<>();
    Set<Vertex> active = new HashSet<>();
    record Visit(Vertex vertex, Iterator<Edge> ways) {}
    Deque<Visit> open = new ArrayDeque<>();
    for (Vertex root : net.vertices) {
      if (seen.add(root)) {
        active.add(root);
        open.push(new Visit(root, root.out.iterator()));
      }
      while (!open.isEmpty()) {
        Visit visit = open.element();
        Vertex vertex = visit.vertex();
        if (!visit.ways().hasNext()) {
          open.pop();
          active.remove(vertex);
          finished.add(vertex);
          continue;
        }
        Edge edge = visit.ways().next();
        if (active.contains(edge.to)) {
          edge.isAround = true;
        } else if (seen.add(edge.to)) {
          active.add(edge.to);
          open.push(new Visit(edge.to, edge.to.out.iterator()));
        }
      }
    }
    Collections.reverse(finished);
    return finished;
  }

  private static void bend(Net net) {
    long bends = 0;
    for (Edge edge : net.edges) {
      bends += edge.isAround ? 0 : edge.to.layer - edge.from.layer - 1;
    }
    boolean isTooMuch = bends > BENDS_MAX;
    for (Edge edge : net.edges) {
      int span = edge.to.layer - edge.from.layer;
      if (edge.isAround || (isTooMuch && span > 1)) {
        edge.isAround = true;
        continue;
      }
      Vertex at = edge.from;
      for (int layer = edge.from.layer + 1; layer < edge.to.layer; layer++) {
        Vertex bend = new Vertex(null);
        bend.layer = layer;
        net.layers.get(layer).add(bend);
        edge.bends.add(bend);
        link(at, bend, edge);
        at = bend;
      }
      link(at, edge.to, edge);
    }
  }

  private static void link(Vertex from, Vertex to, Edge edge) {
    Link link = new Link(from, to, edge);
    from.after.add(link);
    to.before.add(link);
  }
}

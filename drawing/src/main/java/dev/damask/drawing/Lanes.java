package dev.damask.drawing;

import dev.damask.drawing.Net.Edge;
import dev.damask.drawing.Net.Vertex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Assigns a horizontal lane above or below the layers to every edge that runs around them.
final class Lanes {
  static final int PITCH = 14;

  private final int[] top;
  private final int[] bottom;
  private final List<Edge> edges;
  private final Map<Edge, Integer> levels = new HashMap<>();

  private Lanes(Net net) {
    this.top = new int[net.layers.size()];
    this.bottom = new int[net.layers.size()];
    for (int i = 0; i < top.length; i++) {
      top[i] = Integer.MAX_VALUE;
      for (Vertex vertex : net.layers.get(i)) {
        top[i] = Math.min(top[i], vertex.level - vertex.above());
        bottom[i] = Math.max(bottom[i], vertex.level + vertex.below());
      }
    }
    this.edges = new ArrayList<>(net.edges.stream().filter(edge -> edge.isAround).toList());
    edges.sort(Comparator.comparingInt(edge -> Math.abs(edge.from.layer - edge.to.layer)));
  }

  /// Chooses for each edge the shorter of the routes above and below.
  static void chooseSides(Net net) {
    Lanes lanes = new Lanes(net);
    for (Edge edge : lanes.edges) {
      int ends = edge.from.outLevel(edge) + edge.to.inLevel(edge);
      edge.isAbove = ends - 2 * lanes.lane(edge, true) < 2 * lanes.lane(edge, false) - ends;
    }
  }

  /// Assigns a lane to every edge and moves the net down so that all coordinates are positive.
  static Lanes assign(Net net) {
    Lanes lanes = new Lanes(net);
    for (Edge edge : lanes.edges) {
      int level = lanes.lane(edge, edge.isAbove);
      for (int i = lanes.first(edge); i <= lanes.last(edge); i++) {
        lanes.top[i] = edge.isAbove ? level : lanes.top[i];
        lanes.bottom[i] = edge.isAbove ? lanes.bottom[i] : level;
      }
      lanes.levels.put(edge, level);
    }
    int highest = 0;
    for (int level : lanes.top) {
      highest = Math.min(highest, level - 2);
    }
    int shift = -highest;
    net.layers.forEach(layer -> layer.forEach(vertex -> vertex.level += shift));
    lanes.levels.replaceAll((edge, level) -> level + shift);
    for (int i = 0; i < lanes.bottom.length; i++) {
      lanes.bottom[i] += shift;
    }
    return lanes;
  }

  /// Returns the edges that run around, short ones first, so that they get the inner lanes.
  List<Edge> edges() {
    return edges;
  }

  int level(Edge edge) {
    return levels.getOrDefault(edge, 0);
  }

  int lowest() {
    int lowest = 0;
    for (int level : bottom) {
      lowest = Math.max(lowest, level);
    }
    return lowest;
  }

  private int lane(Edge edge, boolean isAbove) {
    int out = edge.from.outLevel(edge);
    int in = edge.to.inLevel(edge);
    int level = isAbove ? Math.min(out, in) : Math.max(out, in);
    for (int i = first(edge); i <= last(edge); i++) {
      level = isAbove ? Math.min(level, top[i]) : Math.max(level, bottom[i]);
    }
    return isAbove ? level - PITCH : level + PITCH;
  }

  /// Returns the first layer that an edge runs around.
  private int first(Edge edge) {
    return edge.to.layer <= edge.from.layer ? edge.to.layer : edge.from.layer + 1;
  }

  private int last(Edge edge) {
    return edge.to.layer <= edge.from.layer ? edge.from.layer : edge.to.layer - 1;
  }
}

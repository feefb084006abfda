package dev.damask.drawing;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A graph during its layout: vertices in layers from left to right, and edges between them. The
/// first vertex is the start, the last given one is the end.
final class Net {
  final List<Vertex> vertices = new ArrayList<>();
  final List<Edge> edges = new ArrayList<>();

  /// The vertices by layer, each layer from top to bottom; includes bends.
  final List<List<Vertex>> layers = new ArrayList<>();

  /// A vertex of a layer: a node, the start, the end, or the bend of a long edge.
  static final class Vertex {
    /// Null for a bend.
    final @Nullable Station station;

    final List<Edge> in = new ArrayList<>();
    final List<Edge> out = new ArrayList<>();

    /// The neighbours in the adjacent layers, with the edges that lead there.
    final List<Link> before = new ArrayList<>();

    final List<Link> after = new ArrayList<>();
    int layer;
    int position;

    /// The height of the rail that passes through.
    int level;

    Vertex(@Nullable Station station) {
      this.station = station;
    }

    int width() {
      return station == null ? 0 : station.width;
    }

    int above() {
      return station == null ? 4 : station.above;
    }

    int below() {
      return station == null ? 4 : station.below;
    }

    int outLevel(Edge edge) {
      return station == null ? level : level + station.outOffset(out.indexOf(edge));
    }

    int inLevel(Edge edge) {
      return station == null ? level : level + station.inOffset(in.indexOf(edge));
    }
  }

  /// An edge between two stations, and the bends it passes.
  static final class Edge {
    final Vertex from;
    final Vertex to;
    final List<Vertex> bends = new ArrayList<>();
    String words;
    String weight = "";

    /// Whether it is on the highlighted path.
    boolean isTaken;

    /// Whether the edge runs around the layers between its ends, as all back edges do.
    boolean isAround;

    /// Whether it runs above the layers instead of below.
    boolean isAbove;

    Edge(Vertex from, Vertex to, String words) {
      this.from = from;
      this.to = to;
      this.words = words;
    }

    Label label() {
      return Label.of(words, Label.Font.CODE, 180);
    }
  }

  /// One segment of an edge between adjacent layers.
  record Link(Vertex from, Vertex to, Edge edge) {
    int leaves() {
      return from.outLevel(edge);
    }

    int arrives() {
      return to.inLevel(edge);
    }
  }

  Vertex add(@Nullable Station station) {
    Vertex vertex = new Vertex(station);
    vertices.add(vertex);
    return vertex;
  }

  /// Connects two vertices. A second edge between the same vertices only adds its label.
  void connect(Vertex from, Vertex to, String words) {
    for (Edge edge : from.out) {
      if (edge.to == to) {
        edge.words = edge.words.isEmpty() || words.isEmpty() ? "" : edge.words + " or " + words;
        return;
      }
    }
    Edge edge = new Edge(from, to, words);
    edges.add(edge);
    from.out.add(edge);
    to.in.add(edge);
  }
}

package dev.damask.drawing;

import dev.damask.drawing.Net.Edge;
import dev.damask.drawing.Net.Link;
import dev.damask.drawing.Net.Vertex;

/// Places the layers side by side and draws the edges: curves between layers, and lanes for edges
/// that run around.
final class Routes {
  private static final int GAP = 44;
  private static final int SHAFT = 12;

  private final Net net;
  private final Lanes lanes;
  private final int[] left;
  private final int[] right;

  /// The number of edges that run around from and to each layer.
  private final int[] leaving;

  private final int[] arriving;

  Routes(Net net) {
    this.net = net;
    this.lanes = Lanes.assign(net);
    int layers = net.layers.size();
    this.left = new int[layers];
    this.right = new int[layers];
    this.leaving = new int[layers];
    this.arriving = new int[layers];
    for (Edge edge : lanes.edges()) {
      leaving[edge.from.layer]++;
      arriving[edge.to.layer]++;
    }
    columns();
  }

  Block draw() {
    Vertex start = net.vertices.getFirst();
    Vertex end = net.vertices.getLast();
    Block block = new Block(right[right.length - 1], lanes.lowest() + 2, start.level, end.level);
    block.isSolid = left[0] == 0 && isSolid(start);
    block.isTaken = start.out.stream().anyMatch(edge -> edge.isTaken);
    String way = block.isTaken ? "taken" : "rail";
    block.line(way, isSolid(start), 0, start.level, left[0], start.level);
    for (Vertex vertex : net.vertices) {
      vertex.after.forEach(link -> draw(block, link));
    }
    for (Edge edge : net.edges) {
      for (Vertex bend : edge.bends) {
        block.line(style(edge), false, left[bend.layer], bend.level, right[bend.layer], bend.level);
        bend.after.forEach(link -> draw(block, link));
      }
    }
    around(block);
    for (Vertex vertex : net.vertices) {
      if (vertex.station != null) {
        int y = vertex.level - vertex.station.above;
        block.place(vertex.station.draw(vertex), left[vertex.layer], y);
      }
    }
    return block.ends(end.in.isEmpty());
  }

  private void columns() {
    int x = arriving[0] * Lanes.PITCH;
    for (int i = 0; i < left.length; i++) {
      left[i] = x;
      right[i] = x;
      int steep = 0;
      for (Vertex vertex : net.layers.get(i)) {
        right[i] = Math.max(right[i], x + vertex.width());
        for (Link link : vertex.after) {
          steep = Math.max(steep, Math.abs(link.arrives() - link.leaves()));
        }
      }
      int next = i + 1 < left.length ? arriving[i + 1] : 0;
      x = right[i] + GAP + Math.min(40, steep / 4) + Lanes.PITCH * (leaving[i] + next);
    }
  }

  /// Draws the edges that run around. Each has a separate vertical line next to the layers.
  private void around(Block block) {
    int[] leaves = new int[left.length];
    int[] arrives = new int[left.length];
    for (Edge edge : lanes.edges()) {
      int from = edge.from.layer;
      int to = edge.to.layer;
      int out = edge.from.outLevel(edge);
      int in = edge.to.inLevel(edge);
      int away = right[from] + Lanes.PITCH * ++leaves[from] - 2;
      int toward = left[to] - SHAFT - Lanes.PITCH * ++arrives[to] + 2;
      int lane = lanes.level(edge);
      int start = left[from] + edge.from.width();
      block.line(
          style(edge),
          isSolid(edge.to),
          start,
          out,
          away,
          out,
          away,
          lane,
          toward,
          lane,
          toward,
          in,
          left[to],
          in);
    }
  }

  private void draw(Block block, Link link) {
    int from = link.from().layer;
    int to = link.to().layer;
    int start = link.from().station == null ? right[from] : left[from] + link.from().width();
    int curveStart = right[from] + Lanes.PITCH * leaving[from];
    int curveEnd = left[to] - SHAFT - Lanes.PITCH * arriving[to];
    block.line(
        style(link.edge()),
        isSolid(link.to()),
        start,
        link.leaves(),
        curveStart,
        link.leaves(),
        curveEnd,
        link.arrives(),
        left[to],
        link.arrives());
  }

  private static String style(Edge edge) {
    return edge.isTaken ? "taken" : "rail";
  }

  private static boolean isSolid(Vertex vertex) {
    return vertex.station != null && vertex.station.isSolid();
  }
}

package dev.damask.drawing;

import dev.damask.drawing.Net.Edge;
import dev.damask.drawing.Net.Link;
import dev.damask.drawing.Net.Vertex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Orders the vertices of each layer so that few edges cross: repeatedly moves every vertex to the
/// median of its neighbours and keeps the best order.
final class Ordering {
  private static final int ROUNDS = 12;

  private Ordering() {}

  static void assign(Net net) {
    net.layers.forEach(Ordering::number);
    List<List<Vertex>> best = copy(net.layers);
    long fewest = crossings(net);
    for (int round = 0; round < ROUNDS && fewest > 0; round++) {
      boolean isForward = round % 2 == 0;
      for (int i = 0; i < net.layers.size(); i++) {
        sort(net.layers.get(isForward ? i : net.layers.size() - 1 - i), isForward);
      }
      long count = crossings(net);
      if (count < fewest) {
        fewest = count;
        best = copy(net.layers);
      }
    }
    net.layers.clear();
    net.layers.addAll(best);
    net.layers.forEach(Ordering::number);
    sortPorts(net);
  }

  /// Sorts the ports of edges by the order of their other ends.
  static void sortPorts(Net net) {
    for (Vertex vertex : net.vertices) {
      Map<Edge, Integer> target = new HashMap<>();
      vertex.after.forEach(link -> target.put(link.edge(), link.to().position));
      vertex.out.sort(Comparator.comparing(edge -> target.getOrDefault(edge, outermost(edge))));
      Map<Edge, Integer> source = new HashMap<>();
      vertex.before.forEach(link -> source.put(link.edge(), link.from().position));
      vertex.in.sort(Comparator.comparing(edge -> source.getOrDefault(edge, outermost(edge))));
    }
  }

  private static int outermost(Edge edge) {
    return edge.isAbove ? -1 : Integer.MAX_VALUE;
  }

  private static void sort(List<Vertex> layer, boolean isForward) {
    Map<Vertex, Double> middle = new HashMap<>();
    for (Vertex vertex : layer) {
      List<Link> links = isForward ? vertex.before : vertex.after;
      double sum = 0;
      for (Link link : links) {
        sum += isForward ? link.from().position : link.to().position;
      }
      middle.put(vertex, links.isEmpty() ? vertex.position : sum / links.size());
    }
    layer.sort(Comparator.comparing(vertex -> middle.getOrDefault(vertex, 0.0)));
    number(layer);
  }

  private static void number(List<Vertex> layer) {
    for (int i = 0; i < layer.size(); i++) {
      layer.get(i).position = i;
    }
  }

  private static List<List<Vertex>> copy(List<List<Vertex>> layers) {
    List<List<Vertex>> copy = new ArrayList<>();
    layers.forEach(layer -> copy.add(new ArrayList<>(layer)));
    return copy;
  }

  private static long crossings(Net net) {
    long count = 0;
    for (int i = 0; i + 1 < net.layers.size(); i++) {
      count += crossings(net.layers.get(i), net.layers.get(i + 1).size());
    }
    return count;
  }

  /// Counts crossing links with a Fenwick tree over the positions on the right.
  private static long crossings(List<Vertex> layer, int size) {
    int[] tree = new int[size + 1];
    int inserted = 0;
    long count = 0;
    for (Vertex vertex : layer) {
      int[] targets = vertex.after.stream().mapToInt(link -> link.to().position).sorted().toArray();
      for (int target : targets) {
        int atOrBefore = 0;
        for (int i = target + 1; i > 0; i -= i & -i) {
          atOrBefore += tree[i];
        }
        count += inserted - atOrBefore;
      }
      for (int target : targets) {
        for (int i = target + 1; i <= size; i += i & -i) {
          tree[i]++;
        }
        inserted++;
      }
    }
    return count;
  }
}

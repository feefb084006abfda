package dev.damask.drawing;

import dev.damask.drawing.Net.Link;
import dev.damask.drawing.Net.Vertex;
import java.util.List;

/// Assigns a height to every vertex, as near to its neighbours as the layer allows.
final class Levels {
  private static final int ROUNDS = 10;
  private static final int NODE_GAP = 26;
  private static final int BEND_GAP = 12;
  private static final int SNAP = 16;

  private Levels() {}

  static void assign(Net net) {
    for (List<Vertex> layer : net.layers) {
      int[] floor = floors(layer);
      for (int i = 0; i < layer.size(); i++) {
        layer.get(i).level = floor[i];
      }
    }
    for (int round = 0; round < ROUNDS; round++) {
      boolean isForward = round % 2 == 0;
      for (int i = 0; i < net.layers.size(); i++) {
        List<Vertex> layer = net.layers.get(isForward ? i : net.layers.size() - 1 - i);
        settle(layer, isForward || round >= ROUNDS - 2, !isForward || round >= ROUNDS - 2);
      }
    }
    net.layers.forEach(Levels::straighten);
    int top = Integer.MAX_VALUE;
    for (List<Vertex> layer : net.layers) {
      for (Vertex vertex : layer) {
        top = Math.min(top, vertex.level - vertex.above());
      }
    }
    for (List<Vertex> layer : net.layers) {
      for (Vertex vertex : layer) {
        vertex.level -= top;
      }
    }
  }

  /// Removes small offsets from edges that can be straight if there is space.
  private static void straighten(List<Vertex> layer) {
    int[] floor = floors(layer);
    for (int i = 0; i < layer.size(); i++) {
      Vertex vertex = layer.get(i);
      if (vertex.before.size() != 1) {
        continue;
      }
      int level = (int) preferred(vertex, true, false)[0];
      boolean hasRoom =
          (i == 0 || level - layer.get(i - 1).level >= floor[i] - floor[i - 1])
              && (i + 1 == floor.length
                  || layer.get(i + 1).level - level >= floor[i + 1] - floor[i]);
      if (hasRoom && Math.abs(level - vertex.level) <= SNAP) {
        vertex.level = level;
      }
    }
  }

  /// Minimises the squared distance of a layer's vertices to their preferred heights. Relative to
  /// the lowest possible height of each vertex, this is isotonic regression: vertices that would
  /// overlap are pooled and share their mean.
  private static void settle(List<Vertex> layer, boolean looksBack, boolean looksOn) {
    int size = layer.size();
    int[] floor = floors(layer);
    double[] mean = new double[size];
    double[] weight = new double[size];
    int[] count = new int[size];
    int pools = 0;
    for (int i = 0; i < size; i++) {
      double[] preferred = preferred(layer.get(i), looksBack, looksOn);
      mean[pools] = preferred[0] - floor[i];
      weight[pools] = preferred[1];
      count[pools] = 1;
      pools++;
      while (pools > 1 && mean[pools - 2] > mean[pools - 1]) {
        double total = weight[pools - 2] + weight[pools - 1];
        mean[pools - 2] =
            (mean[pools - 2] * weight[pools - 2] + mean[pools - 1] * weight[pools - 1]) / total;
        weight[pools - 2] = total;
        count[pools - 2] += count[pools - 1];
        pools--;
      }
    }
    int at = 0;
    for (int pool = 0; pool < pools; pool++) {
      for (int i = 0; i < count[pool]; i++, at++) {
        layer.get(at).level = (int) Math.round(mean[pool]) + floor[at];
      }
    }
  }

  /// Returns the preferred height of a vertex and its weight.
  private static double[] preferred(Vertex vertex, boolean looksBack, boolean looksOn) {
    double sum = 0;
    double total = 0;
    if (looksBack) {
      for (Link link : vertex.before) {
        double weight = weight(link);
        sum += weight * (link.leaves() - (link.arrives() - vertex.level));
        total += weight;
      }
    }
    if (looksOn) {
      for (Link link : vertex.after) {
        double weight = weight(link);
        sum += weight * (link.arrives() - (link.leaves() - vertex.level));
        total += weight;
      }
    }
    return total == 0 ? new double[] {vertex.level, 0.1} : new double[] {sum / total, total};
  }

  private static double weight(Link link) {
    int bends = (link.from().station == null ? 1 : 0) + (link.to().station == null ? 1 : 0);
    return bends == 2 ? 6 : bends == 1 ? 2 : 1;
  }

  private static int[] floors(List<Vertex> layer) {
    int[] floor = new int[layer.size()];
    for (int i = 1; i < floor.length; i++) {
      Vertex upper = layer.get(i - 1);
      Vertex lower = layer.get(i);
      boolean isBend = upper.station == null || lower.station == null;
      floor[i] = floor[i - 1] + upper.below() + (isBend ? BEND_GAP : NODE_GAP) + lower.above();
    }
    return floor;
  }
}

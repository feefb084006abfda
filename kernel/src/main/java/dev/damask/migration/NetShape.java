package dev.damask.migration;

import dev.damask.program.Pool;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// What the state of an open graph depends on: everything of it but the bodies of its nodes.
public record NetShape(String mode, List<String> nodes, List<String> arcs) {
  public static NetShape of(Pool.Net net) {
    List<String> nodes = new ArrayList<>();
    for (Pool.Node node : net.nodes()) {
      List<Object> join = new ArrayList<>();
      join.add(node.kind());
      join.add(Arrays.toString(node.weights()));
      join.add(node.k());
      join.add(Arrays.toString(node.cancels()));
      join.add(node.abort());
      nodes.add(node.id() + " " + join);
    }
    List<String> arcs = new ArrayList<>();
    for (Pool.Arc arc : net.arcs()) {
      arcs.add(arc.source() + " " + arc.target() + " " + arc.position());
    }
    return new NetShape(net.mode() + " " + net.merge().text(), nodes, arcs);
  }
}

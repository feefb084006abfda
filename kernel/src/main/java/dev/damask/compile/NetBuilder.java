package dev.damask.compile;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.task.Guard;
import dev.damask.term.Node;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Emits the splits of one graph and collects its nodes and arcs.
final class NetBuilder {
  private final Emitter emitter;
  private final TermPath path;
  private final Term.Graph graph;
  private final Map<String, Integer> nodeIndex = new HashMap<>();
  private final List<Pool.Arc> arcs = new ArrayList<>();
  private final Map<Long, Integer> arcIndex = new HashMap<>();
  private final List<List<Integer>> outgoing = new ArrayList<>();
  private final JumpTarget[] bodies;
  private final JumpTarget continuation = new JumpTarget();

  NetBuilder(Emitter emitter, TermPath path, Term.Graph graph) {
    this.emitter = emitter;
    this.path = path;
    this.graph = graph;
    for (Node node : graph.nodes()) {
      nodeIndex.put(node.id(), nodeIndex.size());
    }
    for (int i = 0; i <= graph.nodes().size(); i++) {
      outgoing.add(new ArrayList<>());
    }
    bodies = new JumpTarget[graph.nodes().size()];
    Arrays.setAll(bodies, i -> new JumpTarget());
  }

  void placeBody(int node) {
    emitter.place(bodies[node]);
  }

  void placeContinuation() {
    emitter.place(continuation);
  }

  /// Emits where the tokens of a node go; the start of the graph is node -1.
  void split(int net, int node, Split split) {
    switch (split) {
      case Split.To(var target) -> move(net, node, target);
      case Split.And(var targets) ->
          fork(net, node, targets, new @Nullable Guard[targets.size()], -1);
      case Split.Copies(var count, var target) -> copies(net, node, count, target);
      case Split.Or(var arcsOut) ->
          fork(net, node, split.targets(), guards(arcsOut), otherwise(arcsOut));
      case Split.Xor(var arcsOut) -> xor(net, node, arcsOut);
    }
  }

  private void move(int net, int node, String target) {
    if (target.equals(Node.END)) {
      emitter.emit(path, Code.DONE);
    } else {
      emitter.emit(
          path, Code.ARRIVE, net, arc(node, Objects.requireNonNull(nodeIndex.get(target))));
    }
  }

  private void fork(
      int net, int node, List<String> targets, @Nullable Guard[] guards, int otherwise) {
    JumpTarget[] labels = new JumpTarget[targets.size()];
    Arrays.setAll(labels, i -> new JumpTarget());
    int index =
        Emitter.add(
            emitter.forks,
            () -> new Pool.Fork(JumpTarget.addresses(labels), guards, otherwise, null, -1));
    emitter.emit(path, Code.PAR_FORK, index);
    for (int i = 0; i < labels.length; i++) {
      emitter.place(labels[i]);
      move(net, node, targets.get(i));
    }
  }

  private void copies(int net, int node, int count, String target) {
    JumpTarget label = new JumpTarget();
    int index =
        Emitter.add(
            emitter.forks,
            () -> {
              int[] targets = IntStream.generate(label::address).limit(count).toArray();
              return new Pool.Fork(targets, new @Nullable Guard[count], -1, null, -1);
            });
    emitter.emit(path, Code.PAR_FORK, index);
    emitter.place(label);
    move(net, node, target);
  }

  private void xor(int net, int node, List<Split.Arc> arcsOut) {
    JumpTarget[] labels = new JumpTarget[arcsOut.size()];
    Arrays.setAll(labels, i -> new JumpTarget());
    int index =
        Emitter.add(
            emitter.choices,
            () ->
                new Pool.Choice(JumpTarget.addresses(labels), guards(arcsOut), otherwise(arcsOut)));
    emitter.emit(path, Code.XOR_CHOOSE, index);
    for (int i = 0; i < labels.length; i++) {
      emitter.place(labels[i]);
      move(net, node, arcsOut.get(i).target());
    }
  }

  /// The arc between two nodes; the same pair is one arc however often it is written.
  private int arc(int source, int target) {
    long key = (long) (source + 1) << 32 | target;
    Integer known = arcIndex.get(key);
    if (known != null) {
      return known;
    }
    String name = source < 0 ? Node.START : graph.nodes().get(source).id();
    Node.Join join = graph.nodes().get(target).join();
    int position = join == null ? -1 : join.sources().indexOf(name);
    arcs.add(new Pool.Arc(source, target, position));
    arcIndex.put(key, arcs.size() - 1);
    outgoing.get(source + 1).add(arcs.size() - 1);
    return arcs.size() - 1;
  }

  Pool.Net finish() {
    Pool.Node[] nodes = new Pool.Node[bodies.length];
    for (int i = 0; i < nodes.length; i++) {
      nodes[i] = node(i);
    }
    return new Pool.Net(
        graph.mode(),
        graph.merge(),
        nodes,
        arcs.toArray(Pool.Arc[]::new),
        ints(outgoing.getFirst()),
        continuation.address());
  }

  private Pool.Node node(int index) {
    Node node = graph.nodes().get(index);
    Node.Join join = node.join();
    int[] out = ints(outgoing.get(index + 1));
    int body = bodies[index].address();
    int[] none = new int[0];
    return switch (join) {
      case null -> new Pool.Node(node.id(), Pool.JoinKind.MERGE, none, 0, none, false, body, out);
      case Node.Join.And(var weights, var abort) ->
          new Pool.Node(
              node.id(),
              Pool.JoinKind.AND,
              ints(List.copyOf(weights.values())),
              weights.size(),
              none,
              abort,
              body,
              out);
      case Node.Join.Or(var sources, var abort) ->
          new Pool.Node(node.id(), Pool.JoinKind.OR, ones(sources), 1, none, abort, body, out);
      case Node.Join.Blocking(var k, var sources, var abort) ->
          new Pool.Node(
              node.id(), Pool.JoinKind.BLOCKING, ones(sources), k, none, abort, body, out);
      case Node.Join.Cancelling(var k, var sources, var cancel, var abort) ->
          new Pool.Node(
              node.id(),
              Pool.JoinKind.CANCELLING,
              ones(sources),
              k,
              cancel.stream().mapToInt(nodeIndex::get).toArray(),
              abort,
              body,
              out);
    };
  }

  private static int[] ones(List<String> sources) {
    int[] ones = new int[sources.size()];
    Arrays.fill(ones, 1);
    return ones;
  }

  private static int[] ints(List<Integer> values) {
    return values.stream().mapToInt(Integer::intValue).toArray();
  }

  private static @Nullable Guard[] guards(List<Split.Arc> arcsOut) {
    @Nullable Guard[] guards = new Guard[arcsOut.size()];
    for (int i = 0; i < guards.length; i++) {
      guards[i] = arcsOut.get(i).guard();
    }
    return guards;
  }

  private static int otherwise(List<Split.Arc> arcsOut) {
    return arcsOut.getLast().otherwise() ? arcsOut.size() - 1 : -1;
  }
}

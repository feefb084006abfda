package dev.damask.verify;

import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.term.Node;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// Maps the instructions of a program to paths in its workflow. Splits and arcs are mapped to the
/// nodes of their graph, which the source map contains only as a whole.
public final class Sites {
  private Sites() {}

  /// A node of a graph; the start of the graph counts as one.
  record NodeSite(Pool.Net net, String graph, int node) {
    String id() {
      return node < 0 ? Node.START : net.nodes()[node].id();
    }

    @Override
    public String toString() {
      return node < 0 ? "the start" : "node " + id();
    }

    String path() {
      return node < 0 ? graph + ".graph.start" : graph + ".graph.nodes." + id();
    }
  }

  /// Returns the path of the term or node that an instruction belongs to.
  static String path(Program program, int address) {
    return node(program, address)
        .map(NodeSite::path)
        .orElseGet(() -> program.source().at(address).toString());
  }

  /// Returns the path of the term or node at which a token waits: at a join, the node that it has
  /// reached, not the one that it has left.
  static String standing(Program program, int address) {
    int[] code = program.raw().code();
    if (code[address] == Code.ARRIVE) {
      Pool.Net net = program.pools().nets()[code[address + 1]];
      int target = net.arcs()[code[address + 2]].target();
      String graph = program.source().at(address).toString();
      return new NodeSite(net, graph, target).path();
    }
    return path(program, address);
  }

  /// Returns the positions of a state's tokens in order.
  @SuppressWarnings("exports") // the state is for our own modules
  public static List<String> standing(Program program, ExecState state) {
    List<String> stands = new ArrayList<>();
    Exploration.tokens(state).forEach(token -> stands.add(standing(program, token.address())));
    for (Exploration.RoundView round : Exploration.openRounds(state)) {
      stands.addAll(Collections.nCopies(round.taken(), join(program, round)));
    }
    Collections.sort(stands);
    return List.copyOf(stands);
  }

  private static String join(Program program, Exploration.RoundView round) {
    int[] code = program.raw().code();
    int at = 0;
    while (code[at] != Code.NET_ENTER || code[at + 1] != round.net()) {
      at += Code.length(code[at]);
    }
    String graph = program.source().at(at).toString();
    return new NodeSite(program.pools().nets()[round.net()], graph, round.node()).path();
  }

  /// Returns the node whose split or arc an instruction is; empty for instructions of terms.
  static Optional<NodeSite> node(Program program, int address) {
    int[] code = program.raw().code();
    boolean isArc =
        switch (code[address]) {
          case Code.XOR_CHOOSE, Code.PAR_FORK, Code.ARRIVE, Code.DONE -> true;
          default -> false;
        };
    if (!isArc || program.pools().nets().length == 0) {
      return Optional.empty();
    }
    String path = program.source().at(address).toString();
    for (int at = 0; at < address; at += Code.length(code[at])) {
      if (code[at] == Code.NET_ENTER && program.source().at(at).toString().equals(path)) {
        Pool.Net net = program.pools().nets()[code[at + 1]];
        return address < net.continuation()
            ? Optional.of(new NodeSite(net, path, nodeAt(net, address)))
            : Optional.empty();
      }
    }
    return Optional.empty();
  }

  /// Returns the node at an address. Nodes are emitted one after the other, each with its split
  /// after its body.
  private static int nodeAt(Pool.Net net, int address) {
    int found = -1;
    for (int i = 0; i < net.nodes().length; i++) {
      int body = net.nodes()[i].body();
      if (body <= address && (found < 0 || body > net.nodes()[found].body())) {
        found = i;
      }
    }
    return found;
  }

  /// Describes the result of a choice: in a graph with node and target, otherwise with its branch.
  static String chosen(Program program, int address, int branch) {
    Pool.Choice choice = program.pools().choices()[program.raw().code()[address + 1]];
    Optional<NodeSite> site = node(program, address);
    return site.isPresent()
        ? "%s goes to %s".formatted(site.get(), target(program, choice.targets()[branch]))
        : "branch " + branch + " is taken at " + path(program, address);
  }

  /// Describes the result of a fork with guards; empty for other instructions.
  static String selected(Program program, int address, ExecState before, ExecState after) {
    int[] code = program.raw().code();
    if (code[address] != Code.PAR_FORK) {
      return "";
    }
    Pool.Fork fork = program.pools().forks()[code[address + 1]];
    if (!fork.isGuarded()) {
      return "";
    }
    Optional<NodeSite> site = node(program, address);
    List<String> ways = new ArrayList<>();
    for (int i = 0; i < fork.targets().length; i++) {
      int target = fork.targets()[i];
      if (tokensAt(after, target) > tokensAt(before, target)) {
        ways.add(site.isPresent() ? target(program, target) : String.valueOf(i));
      }
    }
    if (ways.isEmpty()) {
      return "";
    }
    return site.isPresent()
        ? site.get() + " goes to " + String.join(", ", ways)
        : "%s %s selected at %s"
            .formatted(
                ways.size() == 1 ? "branch" : "branches",
                String.join(", ", ways) + (ways.size() == 1 ? " is" : " are"),
                path(program, address));
  }

  private static long tokensAt(ExecState state, int address) {
    return Exploration.tokens(state).stream().filter(t -> t.address() == address).count();
  }

  /// Returns the node to which a token at an arc moves; empty for other instructions.
  static String arcTarget(Program program, int address) {
    int code = program.raw().code()[address];
    boolean isArc = code == Code.ARRIVE || code == Code.DONE;
    return isArc && node(program, address).isPresent() ? target(program, address) : "";
  }

  /// Returns the target node of an arc at an address; `end` for the exit of a graph.
  static String target(Program program, int address) {
    int[] code = program.raw().code();
    if (code[address] != Code.ARRIVE) {
      return Node.END;
    }
    Pool.Net net = program.pools().nets()[code[address + 1]];
    return net.nodes()[net.arcs()[code[address + 2]].target()].id();
  }
}

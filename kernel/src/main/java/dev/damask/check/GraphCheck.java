package dev.damask.check;

import dev.damask.check.Diagnostic.Severity;
import dev.damask.term.Node;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/// The part of the check for one graph.
final class GraphCheck {
  private final TermPath path;
  private final Term.Graph graph;
  private final Consumer<Diagnostic> diagnostics;
  private final Set<String> ids;
  private final Map<String, Set<String>> sources = new HashMap<>();

  private GraphCheck(TermPath path, Term.Graph graph, Consumer<Diagnostic> diagnostics) {
    this.path = path.then(".graph");
    this.graph = graph;
    this.diagnostics = diagnostics;
    this.ids = TermCheck.ids(graph);
  }

  static void check(TermPath path, Term.Graph graph, Consumer<Diagnostic> diagnostics) {
    new GraphCheck(path, graph, diagnostics).run();
  }

  private void run() {
    targets(path.then(".start"), Node.START, graph.start());
    for (Node node : graph.nodes()) {
      targets(at(node).then(".then"), node.id(), node.then());
    }
    for (Node node : graph.nodes()) {
      if (node.join() != null) {
        join(node, node.join());
        warnAboutRegions(node, node.join());
      }
    }
    warnAboutUnreachable();
  }

  private TermPath at(Node node) {
    return path.then(".nodes." + node.id());
  }

  private void targets(TermPath place, String source, Split split) {
    for (String target : split.targets()) {
      if (target.equals(Node.END)) {
        continue;
      }
      if (!ids.contains(target)) {
        error(
            "UNKNOWN_NODE", place, "there is no node '" + target + "'", Nearest.hint(target, ids));
      } else {
        sources.computeIfAbsent(target, key -> new TreeSet<>()).add(source);
      }
    }
  }

  private void join(Node node, Node.Join join) {
    Set<String> incoming = sources.getOrDefault(node.id(), new TreeSet<>());
    TermPath place = at(node).then(".join");
    for (String source : join.sources()) {
      if (!source.equals(Node.START) && !ids.contains(source)) {
        error(
            "UNKNOWN_NODE", place, "there is no node '" + source + "'", Nearest.hint(source, ids));
      } else if (!incoming.contains(source)) {
        error(
            "NO_ARC",
            place,
            "the join of '" + node.id() + "' names '" + source + "', which has no arc to it",
            "name only nodes whose `then` leads here");
      }
    }
    for (String source : incoming) {
      if (!join.sources().contains(source)) {
        error(
            "ARC_NOT_JOINED",
            place,
            "an arc from '"
                + source
                + "' leads to '"
                + node.id()
                + "' but its join does not list it",
            "add '" + source + "' to the join");
      }
    }
    if (join instanceof Node.Join.Cancelling cancelling) {
      for (String cancelled : cancelling.cancel()) {
        if (!ids.contains(cancelled)) {
          String sentence = "cancel: there is no node '" + cancelled + "'";
          error("UNKNOWN_NODE", place, sentence, Nearest.hint(cancelled, ids));
        }
      }
    }
  }

  /// A region over several nodes that a join waits for: when it is ended while a token of one of
  /// them waits at the join, the others never come.
  private void warnAboutRegions(Node node, Node.Join join) {
    if (join.abort()) {
      return; // then the join is given up
    }
    Map<String, List<String>> covered = new TreeMap<>();
    for (Node source : graph.nodes()) {
      if (join.sources().contains(source.id())) {
        regions(source.body())
            .forEach(
                name -> covered.computeIfAbsent(name, k -> new ArrayList<>()).add(source.id()));
      }
    }
    int needed = join instanceof Node.Join.And ? join.sources().size() : needed(join);
    covered.forEach((name, nodes) -> {
      if (join.sources().size() - nodes.size() + 1 < needed) {
        diagnostics.accept(
            new Diagnostic(
                Severity.WARNING,
                "REGION_FEEDS_JOIN",
                at(node).then(".join"),
                "region '"
                    + name
                    + "' contains the nodes "
                    + nodes
                    + " that the join of '"
                    + node.id()
                    + "' waits for; if it ends while a token of one of them waits there, the"
                    + " join never fires",
                "add `short: abort`, or put the whole graph into the region"));
      }
    });
  }

  private static Set<String> regions(Term body) {
    Set<String> names = new TreeSet<>();
    TermWalker.walk(
        TermPath.BODY,
        body,
        (place, term) -> {
          if (term instanceof Term.Cancel cancel) {
            names.add(cancel.name());
          }
        });
    return names;
  }

  private void warnAboutUnreachable() {
    Map<String, List<String>> next = new HashMap<>();
    graph.nodes().forEach(node -> next.put(node.id(), possible(node.then())));
    Set<String> seen = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(possible(graph.start()));
    while (!open.isEmpty()) {
      String id = open.pop();
      if (seen.add(id)) {
        open.addAll(next.getOrDefault(id, List.of()));
      }
    }
    for (Node node : graph.nodes()) {
      if (!seen.contains(node.id())) {
        diagnostics.accept(
            new Diagnostic(
                Severity.WARNING,
                "UNREACHABLE_NODE",
                at(node),
                "no token can ever reach node '" + node.id() + "'",
                "add an arc to it or remove it"));
      }
    }
    warnAboutJoins(seen);
    if (!seen.contains(Node.END)) {
      diagnostics.accept(
          new Diagnostic(
              Severity.WARNING, "NO_END", path, "no path of the graph leads to `end`", ""));
    }
  }

  /// The targets that a token can go to whatever the data are: constants rule out some.
  private static List<String> possible(Split split) {
    List<Split.Arc> arcs =
        switch (split) {
          case Split.Xor(var all) -> all;
          case Split.Or(var all) -> all;
          case Split.To to -> List.of();
          case Split.And and -> List.of();
          case Split.Copies copies -> List.of();
        };
    if (arcs.isEmpty()) {
      return split.targets();
    }
    List<String> targets = new ArrayList<>();
    for (Split.Arc arc : arcs) {
      if (!Constants.isFalse(arc.guard())) {
        targets.add(arc.target());
      }
      if (split instanceof Split.Xor && Constants.isTrue(arc.guard())) {
        break;
      }
    }
    return targets;
  }

  /// Joins that wait for tokens which never come: from nodes out of reach, or several of them where
  /// there is never more than one.
  private void warnAboutJoins(Set<String> reached) {
    boolean single = isSingle(graph.start());
    for (Node node : graph.nodes()) {
      single &= !reached.contains(node.id()) || isSingle(node.then());
    }
    for (Node node : graph.nodes()) {
      Node.Join join = node.join();
      if (join == null || !reached.contains(node.id())) {
        continue;
      }
      List<String> sources =
          join.sources().stream()
              .filter(source -> source.equals(Node.START) || reached.contains(source))
              .toList();
      int needed = needed(join);
      int most = join instanceof Node.Join.And ? join.sources().size() : needed;
      if (sources.size() < most) {
        neverMet(node, "waits for nodes that no token ever reaches");
      } else if (single && needed > 1) {
        neverMet(node, "needs " + needed + " tokens, but the graph never has more than one");
      }
    }
  }

  private static boolean isSingle(Split split) {
    return switch (split) {
      case Split.To to -> true;
      case Split.Xor xor -> true;
      case Split.And and -> false;
      case Split.Or or -> false;
      case Split.Copies(var count, var target) -> count == 1;
    };
  }

  /// How many tokens a join takes at least.
  private static int needed(Node.Join join) {
    return switch (join) {
      case Node.Join.And and -> and.weights().values().stream().mapToInt(w -> w).sum();
      case Node.Join.Or or -> 1;
      case Node.Join.Blocking blocking -> blocking.k();
      case Node.Join.Cancelling cancelling -> cancelling.k();
    };
  }

  private void neverMet(Node node, String what) {
    diagnostics.accept(
        new Diagnostic(
            Severity.WARNING,
            "JOIN_NEVER_MET",
            at(node).then(".join"),
            "the join of '" + node.id() + "' " + what,
            "remove the join, or use an `and` split"));
  }

  private void error(String code, TermPath place, String sentence, String remedy) {
    diagnostics.accept(new Diagnostic(Severity.ERROR, code, place, sentence, remedy));
  }
}

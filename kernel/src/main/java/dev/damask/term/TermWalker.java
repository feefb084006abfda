package dev.damask.term;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Walks terms without recursion, so that no nesting can overflow the stack.
public final class TermWalker {
  private TermWalker() {}

  /// A direct part of a term and how it is reached.
  public record Part(String step, Term term) {}

  /// The direct parts of a term, in the order they are written.
  public static List<Part> parts(Term term) {
    List<Part> parts = new ArrayList<>();
    switch (term) {
      case Term.Task task -> add(parts, ".undo", task.undo());
      case Term.Seq(var terms) -> addAll(parts, "", terms);
      case Term.Par(var branches, var merge) -> addAll(parts, ".par", branches);
      case Term.Xor(var choices) -> addAll(parts, ".xor", bodies(choices));
      case Term.Join(var policy, var branches) -> addAll(parts, ".branches", bodies(branches));
      case Term.Loop(var policy, var body) -> add(parts, ".do", body);
      case Term.Defer(var alternatives) ->
          addAll(parts, ".defer", alternatives.stream().map(Alternative::then).toList());
      case Term.Cancel(var name, var holding, var options, var body) -> {
        add(parts, ".do", body);
        add(parts, ".catch", options.handler());
        add(parts, ".onTimeout", options.onTimeout());
      }
      case Term.Mi(var name, var policy, var body) -> add(parts, ".do", body);
      case Term.Graph graph ->
          graph.nodes().forEach(n -> add(parts, ".graph.nodes." + n.id() + ".do", n.body()));
      case Term.Processes(var steps) ->
          steps.forEach(step -> add(parts, ".steps." + step.id(), step.task()));
      case Term.Emit emit -> {}
      case Term.Kill kill -> {}
      case Term.Call call -> {}
    }
    return parts;
  }

  /// Shows every term below and including the root, each before its parts.
  public static void walk(TermPath path, Term root, BiConsumer<TermPath, Term> action) {
    record Stop(TermPath path, Term term) {}
    Deque<Stop> open = new ArrayDeque<>();
    open.push(new Stop(path, root));
    while (!open.isEmpty()) {
      Stop stop = open.pop();
      action.accept(stop.path(), stop.term());
      List<Part> parts = parts(stop.term());
      for (int i = parts.size() - 1; i >= 0; i--) {
        open.push(new Stop(stop.path().then(parts.get(i).step()), parts.get(i).term()));
      }
    }
  }

  private static List<Term> bodies(List<Term.Choice> choices) {
    return choices.stream().map(Term.Choice::then).toList();
  }

  private static void add(List<Part> parts, String step, @Nullable Term term) {
    if (term != null) {
      parts.add(new Part(step, term));
    }
  }

  private static void addAll(List<Part> parts, String step, List<Term> terms) {
    for (int i = 0; i < terms.size(); i++) {
      parts.add(new Part(step + "[" + i + "]", terms.get(i)));
    }
  }
}

package dev.damask.exec;

import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.Node;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A workflow with one of its terms changed. Terms are numbered in the order they are written.
final class Edits {
  private final int target;
  private final UnaryOperator<Term> change;
  private int seen;

  private Edits(int target, UnaryOperator<Term> change) {
    this.target = target;
    this.change = change;
  }

  static int count(WorkflowDefinition workflow) {
    Edits edits = new Edits(-1, term -> term);
    edits.workflow(workflow);
    return edits.seen;
  }

  static WorkflowDefinition at(
      int target, WorkflowDefinition workflow, UnaryOperator<Term> change) {
    return new Edits(target, change).workflow(workflow);
  }

  /// A workflow with every term changed, the inner ones first.
  static WorkflowDefinition everywhere(WorkflowDefinition workflow, UnaryOperator<Term> change) {
    WorkflowDefinition changed = workflow;
    for (int i = count(workflow) - 1; i >= 0; i--) {
      changed = at(i, changed, change);
    }
    return changed;
  }

  private WorkflowDefinition workflow(WorkflowDefinition w) {
    Term body = term(w.body());
    Definition[] definitions =
        w.definitions().stream()
            .map(d -> new Definition(d.name(), d.places(), term(d.body())))
            .toArray(Definition[]::new);
    return new WorkflowDefinition(
        w.name(),
        w.version(),
        w.description(),
        w.mode(),
        w.context(),
        w.places(),
        List.of(definitions),
        w.limits(),
        body);
  }

  private @Nullable Term optional(@Nullable Term term) {
    return term == null ? null : term(term);
  }

  private List<Term> all(List<Term> terms) {
    return terms.stream().map(this::term).toList();
  }

  private List<Term.Choice> choices(List<Term.Choice> choices) {
    return choices.stream()
        .map(c -> new Term.Choice(c.guard(), c.otherwise(), term(c.then())))
        .toList();
  }

  private Term term(Term term) {
    boolean here = seen++ == target;
    Term inside =
        switch (term) {
          case Term.Task t -> new Term.Task(t.name(), t.work(), t.options(), optional(t.undo()));
          case Term.Seq(var parts) -> new Term.Seq(all(parts));
          case Term.Par(var branches, var merge) -> new Term.Par(all(branches), merge);
          case Term.Xor(var choices) -> new Term.Xor(choices(choices));
          case Term.Join(var policy, var branches) -> new Term.Join(policy, choices(branches));
          case Term.Loop(var policy, var body) -> new Term.Loop(policy, term(body));
          case Term.Defer(var alternatives) ->
              new Term.Defer(alternatives.stream().map(this::alternative).toList());
          case Term.Cancel(var name, var holding, var o, var body) -> {
            Term inner = term(body);
            Term handler = optional(o.handler());
            Term onTimeout = optional(o.onTimeout());
            yield new Term.Cancel(
                name,
                holding,
                new ScopeOptions(o.timeout(), onTimeout, handler, o.undo(), o.allow(), o.marking()),
                inner);
          }
          case Term.Mi(var name, var policy, var body) -> new Term.Mi(name, policy, term(body));
          case Term.Graph(var mode, var merge, var start, var nodes) ->
              new Term.Graph(
                  mode,
                  merge,
                  start,
                  nodes.stream()
                      .map(n -> new Node(n.id(), n.join(), term(n.body()), n.then()))
                      .toList());
          case Term.Emit emit -> emit;
          case Term.Kill kill -> kill;
          case Term.Call call -> call;
          case Term.Processes processes -> processes;
        };
    return here ? change.apply(inside) : inside;
  }

  private Alternative alternative(Alternative alternative) {
    return switch (alternative) {
      case Alternative.Take(var places, var external, var then) ->
          new Alternative.Take(places, external, term(then));
      case Alternative.Test(var places, var then) -> new Alternative.Test(places, term(then));
      case Alternative.After(var duration, var then) -> new Alternative.After(duration, term(then));
      case Alternative.Expired(var then) -> new Alternative.Expired(term(then));
    };
  }
}

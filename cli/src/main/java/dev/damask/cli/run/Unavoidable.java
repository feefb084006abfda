package dev.damask.cli.run;

import dev.damask.scenario.ScenarioEvent;
import dev.damask.scenario.ScenarioStep;
import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.JoinPolicy;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Finds the tasks that a case starts on every way it can take, if every task succeeds for which no
/// event says otherwise. What is not certain is left out.
final class Unavoidable {
  /// How the text of a term begins that only fails.
  private static final String FAIL = "fail ";

  private final WorkflowDefinition workflow;
  private final Set<String> signalled = new HashSet<>();
  private final Set<String> stopped = new HashSet<>();
  private final Set<String> entered = new HashSet<>();

  /// Whether an event ends a part of the case from outside. Then no step after a wait is certain.
  private boolean isInterrupted;

  private Unavoidable(WorkflowDefinition workflow, List<ScenarioStep> events) {
    this.workflow = workflow;
    for (ScenarioStep step : events) {
      switch (step.event()) {
        case ScenarioEvent.Signal(var place, _) -> signalled.add(place);
        case ScenarioEvent.Fail(var task, _) -> stopped.add(task.task());
        case ScenarioEvent.CancelTask(var task) -> stopped.add(task.task());
        case ScenarioEvent.Cancel _, ScenarioEvent.Complete _ -> isInterrupted = true;
        default -> {}
      }
    }
  }

  /// The names of these tasks.
  ///
  /// @param events what happens to the case from outside
  static Set<String> tasks(WorkflowDefinition workflow, List<ScenarioStep> events) {
    return new Unavoidable(workflow, events).walk(workflow.body()).tasks();
  }

  /// The tasks that a term starts for certain, and whether what follows it is certain too.
  private record Way(Set<String> tasks, boolean goesOn) {
    static final Way NOTHING = new Way(Set.of(), true);
    static final Way END = new Way(Set.of(), false);

    Way then(Way next) {
      return goesOn ? and(next) : this;
    }

    /// Both are taken.
    Way and(Way other) {
      Set<String> all = new TreeSet<>(tasks);
      all.addAll(other.tasks);
      return new Way(all, goesOn && other.goesOn);
    }

    /// One of the two is taken.
    Way or(Way other) {
      Set<String> common = new TreeSet<>(tasks);
      common.retainAll(other.tasks);
      return new Way(common, goesOn && other.goesOn);
    }

    Way withoutTasks() {
      return new Way(Set.of(), goesOn);
    }
  }

  private Way walk(Term term) {
    return switch (term) {
      case Term.Task(var name, Term.Work.Effect _, _, _) ->
          new Way(Set.of(name), !isInterrupted && !stopped.contains(name));
      case Term.Task(_, Term.Work.Pure(_, var text), _, _) ->
          text.startsWith(FAIL) ? Way.END : Way.NOTHING;
      case Term.Emit _ -> Way.NOTHING;
      case Term.Seq(var parts) ->
          parts.stream().reduce(Way.NOTHING, (way, part) -> way.then(walk(part)), Way::and);
      case Term.Par(var branches, _) ->
          branches.stream().map(this::walk).reduce(Way.NOTHING, Way::and);
      case Term.Xor(var choices) -> either(choices.stream().map(Term.Choice::then).toList());
      case Term.Join(var policy, var branches) -> join(policy, branches);
      case Term.Loop(var policy, var body) ->
          policy instanceof LoopPolicy.Until ? walk(body) : walk(body).withoutTasks();
      case Term.Defer(var alternatives) -> defer(alternatives);
      case Term.Cancel(_, _, var options, var body) ->
          options.timeout() == null ? walk(body) : Way.END;
      case Term.Call(var name, _, _) -> call(name);
      case Term.Kill _, Term.Mi _, Term.Graph _, Term.Processes _ -> Way.END;
    };
  }

  private Way either(List<Term> terms) {
    return terms.stream().map(this::walk).reduce(Way::or).orElse(Way.END);
  }

  private Way join(JoinPolicy policy, List<Term.Choice> branches) {
    if (!(policy.need() instanceof JoinPolicy.Need.All)) {
      return Way.END;
    }
    Way way = Way.NOTHING;
    for (Term.Choice branch : branches) {
      Way each = walk(branch.then());
      way = way.and(branch.guard() == null && !branch.otherwise() ? each : each.withoutTasks());
    }
    return way;
  }

  private Way defer(List<Alternative> alternatives) {
    boolean waits = alternatives.stream().allMatch(this::isOpen);
    return waits || isInterrupted
        ? Way.END
        : either(alternatives.stream().map(Alternative::then).toList());
  }

  /// Whether an alternative waits for a signal that no event sends.
  private boolean isOpen(Alternative alternative) {
    return switch (alternative) {
      case Alternative.Take(var places, var external, _) ->
          places.stream().anyMatch(place -> isUnsent(place, external));
      case Alternative.Test(var places, _) ->
          places.stream().anyMatch(place -> isUnsent(place, false));
      case Alternative.After _, Alternative.Expired _ -> false;
    };
  }

  private boolean isUnsent(String place, boolean isExternal) {
    List<Place> places = new ArrayList<>(workflow.places());
    workflow.definitions().forEach(each -> places.addAll(each.places()));
    boolean declared =
        places.stream().anyMatch(each -> each.name().equals(place) && each.external());
    return (isExternal || declared) && !signalled.contains(place);
  }

  private Way call(String name) {
    if (!entered.add(name)) {
      return Way.END; // it calls itself
    }
    Way way =
        workflow.definitions().stream()
            .filter(each -> each.name().equals(name))
            .map(Definition::body)
            .map(this::walk)
            .findFirst()
            .orElse(Way.END);
    entered.remove(name);
    return way;
  }
}

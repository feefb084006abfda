package dev.damask.check;

import dev.damask.check.Diagnostic.Severity;
import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Checks whether a workflow is well formed, without running it, in linear time.
public final class TermCheck {
  private final WorkflowDefinition workflow;
  private final List<Diagnostic> diagnostics = new ArrayList<>();
  private final Set<String> scopes = new TreeSet<>();
  private final Set<String> sets = new TreeSet<>();
  private final Set<String> openSets = new HashSet<>();
  private final Set<String> definitions = new TreeSet<>();
  private final Set<String> marked = new HashSet<>();
  private final Set<String> milestones = new HashSet<>();

  /// Places that are taken or held, and places that are tested, by where that is first written.
  private final Map<String, TermPath> awaited = new LinkedHashMap<>();

  private final Map<String, TermPath> tested = new LinkedHashMap<>();
  private final Map<String, TermPath> emitted = new LinkedHashMap<>();
  private int nodes;

  private TermCheck(WorkflowDefinition workflow) {
    this.workflow = workflow;
  }

  /// Returns all diagnostics about a workflow.
  public static List<Diagnostic> check(WorkflowDefinition workflow) {
    return new TermCheck(workflow).run();
  }

  private List<Diagnostic> run() {
    workflow.definitions().forEach(each -> definitions.add(each.name()));
    eachBody((path, body) -> TermWalker.walk(path, body, this::collect));
    if (nodes > workflow.limits().nodes()) {
      error(
          "TOO_LARGE",
          TermPath.BODY,
          "a workflow has at most " + workflow.limits().nodes() + " nodes, found " + nodes,
          "move parts into definitions, or raise limits.nodes");
      return diagnostics;
    }
    eachBody((path, body) -> TermWalker.walk(path, body, this::inspect));
    warnAboutPlaces();
    eachBody(this::warnAboutHolds);
    warnAboutFlow();
    CallCheck.check(workflow, this::report);
    BreakCheck.check(workflow, this::report);
    return diagnostics;
  }

  private void warnAboutFlow() {
    List<TermList> outlines = new ArrayList<>();
    eachBody((path, body) -> outlines.add(new TermList(path, body)));
    Map<String, Integer> bodies = new HashMap<>();
    outlines.forEach(
        outline -> ScopeCheck.names(outline).forEach(name -> bodies.merge(name, 1, Integer::sum)));
    for (TermList outline : outlines) {
      FlowCheck.check(outline, this::report);
      ScopeCheck.check(outline, name -> bodies.getOrDefault(name, 0) > 1, this::report);
    }
  }

  private interface BodyAction {
    void accept(TermPath path, Term body);
  }

  private void eachBody(BodyAction action) {
    action.accept(TermPath.BODY, workflow.body());
    for (Definition each : workflow.definitions()) {
      action.accept(TermPath.definition(each.name()), each.body());
    }
  }

  /// First walk: which names exist.
  private void collect(TermPath path, Term term) {
    nodes++;
    switch (term) {
      case Term.Cancel cancel -> scopes.add(cancel.name());
      case Term.Mi mi -> {
        scopes.add(mi.name());
        sets.add(mi.name());
        if (mi.policy().isOpen()) {
          openSets.add(mi.name());
        }
      }
      case Term.Graph graph -> nodes += graph.nodes().size();
      default -> {}
    }
  }

  /// Second walk: which names are used, and how.
  private void inspect(TermPath path, Term term) {
    CountCheck.check(path, term, this::report);
    switch (term) {
      case Term.Par(var branches, var merge) -> branches(path, branches.size());
      case Term.Join(var policy, var branches) -> branches(path, branches.size());
      case Term.Xor(var choices) -> branches(path, choices.size());
      case Term.Defer(var alternatives) -> alternatives.forEach(a -> alternative(path, a));
      case Term.Cancel cancel -> {
        cancel.holding().forEach(p -> awaited.putIfAbsent(p, path));
        if (cancel.options().marking() != null) {
          milestones.add(cancel.options().marking());
        }
      }
      case Term.Emit emit -> emit(path, emit);
      case Term.Kill(var name, var outcome) -> {
        if (!name.equals("case") && !scopes.contains(name)) {
          String verb = outcome == Term.Kill.Outcome.BREAK ? "break" : "kill";
          unknown("UNKNOWN_SCOPE", path, verb + ": there is no scope '" + name + "'", name, scopes);
        }
      }
      case Term.Call(var name, _, _) -> {
        if (!definitions.contains(name)) {
          String sentence = "call: there is no definition '" + name + "'";
          unknown("UNKNOWN_DEFINITION", path, sentence, name, definitions);
        }
      }
      case Term.Graph graph -> GraphCheck.check(path, graph, this::report);
      case Term.Task task -> TaskCheck.check(path, task, this::report);
      default -> {}
    }
  }

  private void branches(TermPath path, int count) {
    if (count > workflow.limits().branches()) {
      error(
          "TOO_MANY_BRANCHES",
          path,
          "a fork has at most " + workflow.limits().branches() + " branches, found " + count,
          "use mi, or raise limits.branches");
    }
  }

  private void alternative(TermPath path, Alternative alternative) {
    if (alternative instanceof Alternative.Take(var places, var external, var then)) {
      places.forEach(place -> awaited.putIfAbsent(place, path));
      if (external) {
        marked.addAll(places);
      }
    } else if (alternative instanceof Alternative.Test(var places, var then)) {
      places.forEach(place -> tested.putIfAbsent(place, path));
    }
  }

  private void emit(TermPath path, Term.Emit emit) {
    for (String suffix : List.of(".add", ".close")) {
      if (emit.place().endsWith(suffix)) {
        String name = emit.place().substring(0, emit.place().length() - suffix.length());
        if (!sets.contains(name)) {
          String sentence = "emit: there is no mi '" + name + "' to " + suffix.substring(1);
          unknown("UNKNOWN_INSTANCES", path, sentence, name, sets);
        } else if (!openSets.contains(name)) {
          warn(
              "NOT_OPEN",
              path,
              "mi '" + name + "' is not open, so every " + suffix.substring(1) + " is rejected",
              "declare it open");
        }
        return;
      }
    }
    marked.add(emit.place());
    emitted.putIfAbsent(emit.place(), path);
  }

  private void warnAboutPlaces() {
    for (Place place : workflow.places()) {
      if (place.external() || place.init() > 0) {
        marked.add(place.name());
      }
    }
    for (Definition each : workflow.definitions()) {
      each.places().stream()
          .filter(p -> p.external() || p.init() > 0)
          .forEach(p -> marked.add(p.name()));
    }
    awaited.forEach((place, path) -> neverMarked(place, path, marked.contains(place)));
    tested.forEach((place, path) -> {
      boolean certain = awaited.containsKey(place) && !milestones.contains(place);
      neverMarked(place, path, certain || marked.contains(place) || milestones.contains(place));
    });
    emitted.forEach((place, path) -> {
      if (!awaited.containsKey(place) && !tested.containsKey(place)) {
        String sentence = "no term waits for place '" + place + "', so its tokens accumulate";
        warn("NEVER_AWAITED", path, sentence, "wait for the place, or do not emit to it");
      }
    });
    for (Place place : workflow.places()) {
      boolean used =
          awaited.containsKey(place.name())
              || tested.containsKey(place.name())
              || emitted.containsKey(place.name())
              || milestones.contains(place.name());
      if (!used) {
        String sentence = "place '" + place.name() + "' is declared but not used";
        warn("UNUSED_PLACE", TermPath.BODY, sentence, "remove it");
      }
    }
  }

  private void neverMarked(String place, TermPath path, boolean isMarked) {
    if (!isMarked) {
      boolean onlyMilestone = milestones.contains(place);
      warn(
          "NEVER_MARKED",
          path,
          onlyMilestone
              ? "place '" + place + "' is a milestone, which cannot be taken"
              : "no term puts a token on place '" + place + "'",
          onlyMilestone ? "test it instead" : "declare it external, set its init, or emit to it");
    }
  }

  /// A place that a scope holds, and what the scopes around it hold; null outside of all.
  private record Held(String place, @Nullable Held around) {
    static boolean contains(@Nullable Held held, String place) {
      for (Held each = held; each != null; each = each.around()) {
        if (each.place().equals(place)) {
          return true;
        }
      }
      return false;
    }
  }

  /// Holds are not re-entrant: who holds a place and asks for it again waits for itself.
  private void warnAboutHolds(TermPath path, Term body) {
    record Stop(TermPath path, Term term, @Nullable Held held) {}
    Deque<Stop> open = new ArrayDeque<>();
    open.push(new Stop(path, body, null));
    while (!open.isEmpty()) {
      Stop stop = open.pop();
      Held inside = stop.held();
      if (stop.term() instanceof Term.Cancel cancel) {
        for (String place : cancel.holding()) {
          if (Held.contains(stop.held(), place) && !isShared(place)) {
            heldTwice(stop.path(), cancel.name(), place);
          }
          inside = new Held(place, inside);
        }
      }
      List<TermWalker.Part> parts = TermWalker.parts(stop.term());
      for (int i = parts.size() - 1; i >= 0; i--) {
        String step = parts.get(i).step();
        // A handler runs when its scope has ended and returned what it held.
        Held held = step.equals(".catch") || step.equals(".onTimeout") ? stop.held() : inside;
        open.push(new Stop(stop.path().then(step), parts.get(i).term(), held));
      }
    }
  }

  /// Whether a place begins with more than one token, so that it can be held more than once.
  private boolean isShared(String place) {
    return workflow.places().stream().anyMatch(p -> p.name().equals(place) && p.init() > 1);
  }

  private void heldTwice(TermPath path, String scope, String place) {
    warn(
        "HELD_TWICE",
        path,
        "scope '"
            + scope
            + "' waits for place '"
            + place
            + "', which an enclosing scope holds until it ends",
        "hold the place only once");
  }

  private void unknown(
      String code, TermPath path, String sentence, String name, Set<String> known) {
    error(code, path, sentence, Nearest.hint(name, known));
  }

  private void error(String code, TermPath path, String sentence, String remedy) {
    report(new Diagnostic(Severity.ERROR, code, path, sentence, remedy));
  }

  private void warn(String code, TermPath path, String sentence, String remedy) {
    report(new Diagnostic(Severity.WARNING, code, path, sentence, remedy));
  }

  private void report(Diagnostic diagnostic) {
    diagnostics.add(diagnostic);
  }

  /// The names a node may be reached from or lead to.
  static Set<String> ids(Term.Graph graph) {
    Set<String> ids = new TreeSet<>();
    for (Node node : graph.nodes()) {
      ids.add(node.id());
    }
    return ids;
  }
}

package dev.damask.check;

import dev.damask.check.Diagnostic.Severity;
import dev.damask.term.Definition;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The part of the check that requires every `break` to stand inside the scope it ends.
///
/// A break in a definition may end a scope around the calls, if every call is in one. A handler
/// runs when its scope has ended, and an undo term runs when the scopes around its task may have
/// ended, so neither is inside them.
final class BreakCheck {
  private final Consumer<Diagnostic> diagnostics;
  private final List<Site> breaks = new ArrayList<>();
  private final List<Site> calls = new ArrayList<>();

  /// The names of all scopes; a break of another name is refused for that.
  private final Set<String> scopes = new HashSet<>();

  /// The scopes around each definition, for all its callers; absent while no call is known.
  private final Map<String, Set<String>> around = new HashMap<>();

  /// The name of a scope and the scopes around it; null outside of all.
  private record Inside(String name, @Nullable Inside around) {}

  /// A break or a call.
  ///
  /// @param body the definition it is in; empty for the body of the workflow
  /// @param isUndo whether it is in an undo term, which no scope around the body surrounds
  private record Site(
      TermPath path, String name, String body, @Nullable Inside inside, boolean isUndo) {
    Set<String> names() {
      Set<String> names = new HashSet<>();
      for (Inside each = inside; each != null; each = each.around()) {
        names.add(each.name());
      }
      return names;
    }
  }

  private BreakCheck(Consumer<Diagnostic> diagnostics) {
    this.diagnostics = diagnostics;
  }

  static void check(WorkflowDefinition workflow, Consumer<Diagnostic> diagnostics) {
    BreakCheck check = new BreakCheck(diagnostics);
    check.collect("", TermPath.BODY, workflow.body());
    for (Definition each : workflow.definitions()) {
      check.collect(each.name(), TermPath.definition(each.name()), each.body());
    }
    if (!check.breaks.isEmpty()) {
      check.surround();
      check.breaks.forEach(check::require);
    }
  }

  private void collect(String definition, TermPath path, Term body) {
    record Stop(TermPath path, Term term, @Nullable Inside inside, boolean isUndo) {}
    Deque<Stop> open = new ArrayDeque<>();
    open.push(new Stop(path, body, null, false));
    while (!open.isEmpty()) {
      Stop stop = open.pop();
      Inside inside = stop.inside();
      switch (stop.term()) {
        case Term.Kill(var name, var outcome) when outcome == Term.Kill.Outcome.BREAK ->
            breaks.add(new Site(stop.path(), name, definition, inside, stop.isUndo()));
        case Term.Call(var name, _, _) ->
            calls.add(new Site(stop.path(), name, definition, inside, stop.isUndo()));
        case Term.Cancel cancel -> inside = new Inside(cancel.name(), inside);
        case Term.Mi mi -> inside = new Inside(mi.name(), inside);
        default -> {}
      }
      if (inside != null && inside != stop.inside()) {
        scopes.add(inside.name());
      }
      List<TermWalker.Part> parts = TermWalker.parts(stop.term());
      for (int i = parts.size() - 1; i >= 0; i--) {
        String step = parts.get(i).step();
        boolean isUndo = step.equals(".undo");
        boolean isHandler = step.equals(".catch") || step.equals(".onTimeout");
        Inside part = isUndo ? null : isHandler ? stop.inside() : inside;
        TermPath at = stop.path().then(step);
        open.push(new Stop(at, parts.get(i).term(), part, stop.isUndo() || isUndo));
      }
    }
  }

  /// Shrinks what surrounds each definition to what all its calls have in common.
  private void surround() {
    boolean changes = true;
    while (changes) {
      changes = false;
      for (Site call : calls) {
        Set<String> names = call.names();
        if (!call.isUndo()) {
          names.addAll(around.getOrDefault(call.body(), Collections.emptySet()));
        }
        boolean isKnown = call.body().isEmpty() || call.isUndo() || around.containsKey(call.body());
        Set<String> before = around.get(call.name());
        if (isKnown && before == null) {
          around.put(call.name(), names);
          changes = true;
        } else if (isKnown && before != null) {
          changes |= before.retainAll(names);
        }
      }
    }
  }

  private void require(Site site) {
    boolean isUncalled = !site.body().isEmpty() && !around.containsKey(site.body());
    boolean inside =
        site.name().equals("case")
            || site.names().contains(site.name())
            || (!site.isUndo()
                && (isUncalled
                    || around
                        .getOrDefault(site.body(), Collections.emptySet())
                        .contains(site.name())));
    if (!inside && scopes.contains(site.name())) {
      diagnostics.accept(
          new Diagnostic(
              Severity.ERROR,
              "BREAK_OUTSIDE",
              site.path(),
              "break: this is not inside scope '" + site.name() + "'",
              "put it into the scope, or use kill with 'as: complete'"));
    }
  }
}

package dev.damask.check;

import dev.damask.check.Diagnostic.Severity;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Term;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// The part of the check that asks whether a scope can be open when it is killed.
///
/// It can when the kill is in it, or when something around both runs several tokens at once. Scopes
/// that may outlive the term they stand in, and scopes in other bodies, are taken to be open.
final class ScopeCheck {
  /// How many pairs are compared before the check skips the rest.
  private static final int PAIRS_MAX = 20_000;

  private final TermList outline;
  private final Consumer<Diagnostic> diagnostics;
  private final Map<String, List<Integer>> scopes = new HashMap<>();
  private int pairs;

  private ScopeCheck(TermList outline, Consumer<Diagnostic> diagnostics) {
    this.outline = outline;
    this.diagnostics = diagnostics;
  }

  /// @param isElsewhere whether another body has a scope of that name too
  static void check(
      TermList outline, Predicate<String> isElsewhere, Consumer<Diagnostic> diagnostics) {
    ScopeCheck check = new ScopeCheck(outline, diagnostics);
    for (int i = 0; i < outline.size(); i++) {
      if (outline.get(i).term() instanceof Term.Cancel cancel) {
        check.scopes.computeIfAbsent(cancel.name(), key -> new ArrayList<>()).add(i);
      } else if (outline.get(i).term() instanceof Term.Mi mi) {
        check.scopes.computeIfAbsent(mi.name(), key -> new ArrayList<>()).add(i);
      }
    }
    for (int i = 0; i < outline.size(); i++) {
      if (outline.get(i).term() instanceof Term.Kill(var name, var outcome)
          && outcome != Term.Kill.Outcome.BREAK
          && check.scopes.containsKey(name)
          && !isElsewhere.test(name)) {
        check.kill(i, name);
      }
    }
  }

  /// The names of the scopes of a body.
  static Set<String> names(TermList outline) {
    Set<String> names = new HashSet<>();
    for (TermList.Entry entry : outline.entries()) {
      if (entry.term() instanceof Term.Cancel cancel) {
        names.add(cancel.name());
      } else if (entry.term() instanceof Term.Mi mi) {
        names.add(mi.name());
      }
    }
    return names;
  }

  private void kill(int kill, String name) {
    for (int scope : scopes.getOrDefault(name, List.of())) {
      if (++pairs > PAIRS_MAX || canBeOpen(scope, kill)) {
        return;
      }
    }
    diagnostics.accept(
        new Diagnostic(
            Severity.WARNING,
            "KILL_OF_CLOSED",
            outline.get(kill).path(),
            "scope '" + name + "' is never open here, so this kill has no effect",
            "put the kill inside the scope, or in a branch parallel to it"));
  }

  private boolean canBeOpen(int scope, int kill) {
    Set<Integer> aroundKill = new HashSet<>();
    int below = kill;
    for (int at = outline.get(kill).around(); at >= 0; at = outline.get(at).around()) {
      boolean handler = outline.get(below).isHandler();
      if (at == scope && !handler) {
        return true;
      }
      aroundKill.add(at);
      below = at;
    }
    if (outlives(outline.get(scope).term())) {
      return true;
    }
    boolean met = false;
    for (int at = outline.get(scope).around(); at >= 0; at = outline.get(at).around()) {
      Term around = outline.get(at).term();
      boolean common = aroundKill.contains(at);
      if (outlives(around) || around instanceof Term.Graph) {
        return true;
      }
      boolean forks = around instanceof Term.Par || around instanceof Term.Join;
      if ((common && !met && forks) || (common && around instanceof Term.Mi)) {
        return true;
      }
      met |= common;
    }
    return false;
  }

  /// Whether what is in a term can still run when the flow has continued after it.
  private static boolean outlives(Term term) {
    return switch (term) {
      case Term.Join(var policy, var branches) ->
          policy.need() instanceof JoinPolicy.Need.Count && policy.rest() == JoinPolicy.Rest.DRAIN;
      case Term.Mi(var name, var policy, var body) ->
          !(policy.need() instanceof InstancePolicy.Need.All)
              && policy.rest() == JoinPolicy.Rest.DRAIN;
      default -> false;
    };
  }
}

package dev.damask.check;

import dev.damask.check.Diagnostic.Severity;
import dev.damask.term.Definition;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/// The part of the check for calls: definitions that are never called, and definitions that call
/// themselves on every way to an end, directly or through others.
final class CallCheck {
  private final Map<String, TermList> bodies = new LinkedHashMap<>();
  private final Map<String, Set<String>> callers = new HashMap<>();
  private final Map<String, Set<String>> callees = new HashMap<>();
  private final Set<String> ending = new HashSet<>();
  private final Consumer<Diagnostic> diagnostics;

  private CallCheck(Consumer<Diagnostic> diagnostics) {
    this.diagnostics = diagnostics;
  }

  static void check(WorkflowDefinition workflow, Consumer<Diagnostic> diagnostics) {
    if (workflow.definitions().isEmpty()) {
      return;
    }
    CallCheck check = new CallCheck(diagnostics);
    for (Definition each : workflow.definitions()) {
      check.add(each.name(), new TermList(TermPath.definition(each.name()), each.body()));
    }
    check.warnAboutUncalled(new TermList(TermPath.BODY, workflow.body()));
    check.findEnding();
    check.warnAboutEndless();
  }

  private void add(String name, TermList body) {
    bodies.put(name, body);
    for (String called : calls(body)) {
      callers.computeIfAbsent(called, key -> new HashSet<>()).add(name);
      callees.computeIfAbsent(name, key -> new TreeSet<>()).add(called);
    }
  }

  private static Set<String> calls(TermList body) {
    Set<String> names = new TreeSet<>();
    for (TermList.Entry entry : body.entries()) {
      if (entry.term() instanceof Term.Call(var called, _, _)) {
        names.add(called);
      }
    }
    return names;
  }

  private void warnAboutUncalled(TermList main) {
    Set<String> reached = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(calls(main));
    while (!open.isEmpty()) {
      String name = open.pop();
      if (reached.add(name)) {
        open.addAll(callees.getOrDefault(name, Collections.emptySet()));
      }
    }
    for (String name : bodies.keySet()) {
      if (!reached.contains(name)) {
        warn("NEVER_CALLED", name, "definition '" + name + "' is never called", "remove it");
      }
    }
  }

  /// A definition can end if it can with the calls that are known to end; so more and more are.
  private void findEnding() {
    Deque<String> open = new ArrayDeque<>(bodies.keySet());
    while (!open.isEmpty()) {
      String name = open.poll();
      TermList body = bodies.get(name);
      if (body != null && !ending.contains(name) && canEnd(body)) {
        ending.add(name);
        open.addAll(callers.getOrDefault(name, Collections.emptySet()));
      }
    }
  }

  private boolean canEnd(TermList body) {
    int[][] parts = body.parts();
    boolean[] ends = new boolean[body.size()];
    for (int i = body.size() - 1; i >= 0; i--) {
      ends[i] = canEnd(body.get(i).term(), parts[i], ends);
    }
    return ends[0];
  }

  private boolean canEnd(Term term, int[] parts, boolean[] ends) {
    return switch (term) {
      case Term.Call(var name, _, _) -> ending.contains(name) || !bodies.containsKey(name);
      case Term.Seq seq -> sequence(seq, parts, ends);
      case Term.Par par -> all(parts, ends);
      case Term.Xor xor -> any(parts, ends);
      case Term.Defer defer -> any(parts, ends);
      case Term.Loop(var policy, var body) ->
          !(policy instanceof LoopPolicy.Until) || ends[parts[0]];
      case Term.Cancel cancel ->
          ends[parts[0]]
              || cancel.options().timeout() != null
              || cancel.options().handler() != null;
      case Term.Task task -> true;
      case Term.Join join -> true;
      case Term.Mi mi -> true;
      case Term.Emit emit -> true;
      case Term.Kill kill -> true;
      case Term.Graph graph -> true;
      case Term.Processes processes -> true;
    };
  }

  /// A sequence that kills something on its way may end before it is through.
  private static boolean sequence(Term.Seq seq, int[] parts, boolean[] ends) {
    for (int i = 0; i < parts.length; i++) {
      if (!ends[parts[i]]) {
        return false;
      }
      if (seq.parts().get(i) instanceof Term.Kill) {
        return true;
      }
    }
    return true;
  }

  private static boolean all(int[] parts, boolean[] ends) {
    for (int part : parts) {
      if (!ends[part]) {
        return false;
      }
    }
    return true;
  }

  private static boolean any(int[] parts, boolean[] ends) {
    for (int part : parts) {
      if (ends[part]) {
        return true;
      }
    }
    return false;
  }

  private void warnAboutEndless() {
    for (String name : bodies.keySet()) {
      if (ending.contains(name)) {
        continue;
      }
      String remedy = "put the call under a condition";
      if (callees.getOrDefault(name, Collections.emptySet()).contains(name)) {
        warn("ENDLESS_CALL", name, "definition '" + name + "' always calls itself", remedy);
      } else {
        String next =
            callees.getOrDefault(name, Collections.emptySet()).stream()
                .filter(each -> bodies.containsKey(each) && !ending.contains(each))
                .findFirst()
                .orElse(name);
        String sentence =
            "definition '" + name + "' always calls '" + next + "', which never returns";
        warn("ENDLESS_CALL", name, sentence, remedy);
      }
    }
  }

  private void warn(String code, String name, String sentence, String remedy) {
    diagnostics.accept(
        new Diagnostic(Severity.WARNING, code, TermPath.definition(name), sentence, remedy));
  }
}

package dev.damask.check;

import dev.damask.check.BodyKeys.Added;
import dev.damask.check.KeyAccess.Reads;
import dev.damask.check.KeyDiagnostic.Kind;
import dev.damask.check.KeyReads.Known;
import dev.damask.term.Definition;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Definite assignment over terms: which keys exist wherever a leaf reads them, on every path.
///
/// - `par` adds up what its branches write; `xor`, `defer` and joins of some branches keep the keys
///   that every selection of branches writes.
/// - The body of a loop may not run, unless `until` or a constant count runs it at least once.
/// - A set of instances gives only what it collects.
/// - `catch` and `onTimeout` begin with the keys on entry of their scope.
/// - Graphs are solved by data flow: an AND-join adds up its sources, other joins intersect.
/// - A term that cannot complete (`fail`, `kill`, `break` of a scope around it) counts as writing
///   every key. `break R` leaves R with the keys of its own path.
/// - A definition has the keys that all its calls have in common.
///
/// What an operator does from outside (complete a scope, answer with other keys) is not considered.
/// The analysis visits each term a constant number of times and needs no recursion.
public final class DefiniteAssignment {
  /// The maximum number of diagnostics.
  public static final int DIAGNOSTICS_MAX = 1_000;

  /// The maximum number of bits of all key sets; a larger workflow is not analysed.
  private static final long BITS_MAX = 2_000_000_000L;

  /// The maximum number of passes over recursive definitions.
  private static final int PASSES_MAX = 50;

  private final WorkflowDefinition workflow;
  private final KeyFacts facts;
  private final Map<String, BodyKeys> bodies = new LinkedHashMap<>();
  private final List<KeyDiagnostic> diagnostics = new ArrayList<>();

  /// The keys with which each definition begins, whichever call starts it.
  private final Map<String, Known> begins = new HashMap<>();

  /// The keys that a definition has added where it calls another one with its own context.
  private final Map<String, Map<String, Known>> calls = new HashMap<>();

  /// The arguments with which a definition calls another one.
  private final Map<String, Map<String, Known>> passed = new HashMap<>();

  private DefiniteAssignment(WorkflowDefinition workflow, KeyAccess access) {
    this.workflow = workflow;
    this.facts = new KeyFacts(access, workflow);
  }

  /// Returns what is wrong with the keys of a workflow, in the order of the text, at most
  /// [#DIAGNOSTICS_MAX]. Throws nothing for a workflow that is not well formed; names that do not
  /// exist are ignored.
  public static List<KeyDiagnostic> check(WorkflowDefinition workflow, KeyAccess access) {
    DefiniteAssignment assignment = new DefiniteAssignment(workflow, access);
    assignment.run();
    return List.copyOf(assignment.diagnostics);
  }

  /// Returns how many terms and nodes of graphs a check visits.
  static long visits(WorkflowDefinition workflow, KeyAccess access) {
    DefiniteAssignment assignment = new DefiniteAssignment(workflow, access);
    assignment.run();
    return assignment.facts.visits;
  }

  private void run() {
    Map<String, TermList> outlines = new LinkedHashMap<>();
    outlines.put("", new TermList(TermPath.BODY, workflow.body()));
    for (Definition each : workflow.definitions()) {
      outlines.put(each.name(), new TermList(TermPath.definition(each.name()), each.body()));
    }
    long terms = 0;
    for (TermList outline : outlines.values()) {
      terms += outline.size();
      outline.entries().forEach(entry -> facts.collect(entry.term()));
    }
    summarise(outlines);
    if (terms * facts.keys.size() > BITS_MAX) {
      return;
    }
    follow();
  }

  /// Computes what each body adds, callees first; recursive definitions until nothing changes.
  private void summarise(Map<String, TermList> outlines) {
    List<String> order = new ArrayList<>();
    boolean isRecursive = order(outlines, order);
    boolean changes = true;
    for (int pass = 0; changes && pass < PASSES_MAX; pass++) {
      changes = false;
      for (String name : order) {
        TermList outline = java.util.Objects.requireNonNull(outlines.get(name), name);
        BodyKeys keys = new BodyKeys(facts, outline);
        bodies.put(name, keys);
        changes |= facts.define(name, keys.summarise()) && isRecursive;
      }
    }
    if (changes) {
      order.forEach(name -> facts.define(name, Added.NOTHING));
    }
  }

  /// Orders the bodies so that callees come before their callers, and returns whether some call
  /// themselves. Until a recursive definition is known it counts as never completing.
  private boolean order(Map<String, TermList> outlines, List<String> order) {
    Map<String, List<String>> callees = new HashMap<>();
    outlines.forEach((name, outline) -> callees.put(name, calls(outline, outlines.keySet())));
    Set<String> open = new HashSet<>();
    Set<String> seen = new HashSet<>();
    Map<String, Integer> next = new HashMap<>();
    boolean isRecursive = false;
    for (String root : outlines.keySet()) {
      Deque<String> stack = new ArrayDeque<>();
      if (seen.add(root)) {
        stack.push(root);
        open.add(root);
      }
      while (!stack.isEmpty()) {
        String name = stack.getFirst();
        List<String> called = callees.getOrDefault(name, List.of());
        int at = next.merge(name, 1, Integer::sum) - 1;
        if (at == called.size()) {
          stack.pop();
          open.remove(name);
          order.add(name);
        } else if (seen.add(called.get(at))) {
          stack.push(called.get(at));
          open.add(called.get(at));
        } else if (open.contains(called.get(at))) {
          isRecursive = true;
          facts.define(called.get(at), Added.of(KeyTable.EVERY, new BitSet()));
        }
      }
    }
    return isRecursive;
  }

  private static List<String> calls(TermList outline, Set<String> known) {
    return outline.entries().stream()
        .map(entry -> entry.term() instanceof Term.Call call ? call.definition() : "")
        .filter(name -> !name.isEmpty() && known.contains(name))
        .distinct()
        .toList();
  }

  /// Follows the main body, then the definitions with what their calls have in common.
  private void follow() {
    BodyKeys main = body("");
    Known start = Known.NOTHING.plus(facts.added(facts.access.start()));
    Calls called = new Calls();
    KeyReads reads = new KeyReads(facts, main, new Report(called));
    reads.follow(start);
    sort(0, main);
    reads.end(TermPath.BODY, start.plus(main.added(0)));
    for (Definition each : workflow.definitions()) {
      Calls inner = new Calls();
      new KeyReads(facts, body(each.name()), inner).follow(Known.NOTHING);
      calls.put(each.name(), inner.known);
      passed.put(each.name(), inner.passed);
    }
    Deque<String> open = new ArrayDeque<>();
    called.known.forEach((name, known) -> begin(name, known, open));
    called.passed.forEach((name, known) -> begin(name, known, open));
    while (!open.isEmpty()) {
      String name = open.pop();
      Known begun = begins.getOrDefault(name, Known.NOTHING);
      calls
          .getOrDefault(name, Collections.emptyMap())
          .forEach((callee, known) ->
              begin(callee, begun.plus(Added.of(known.always(), known.possible())), open));
      passed
          .getOrDefault(name, Collections.emptyMap())
          .forEach((callee, known) -> begin(callee, known, open));
    }
    for (Definition each : workflow.definitions()) {
      Known begun = begins.get(each.name());
      if (begun != null) {
        int first = diagnostics.size();
        new KeyReads(facts, body(each.name()), new Report(new Calls())).follow(begun);
        sort(first, body(each.name()));
      }
    }
  }

  /// Puts the diagnostics of one body into the order of the text.
  private void sort(int first, BodyKeys body) {
    List<KeyDiagnostic> own = diagnostics.subList(first, diagnostics.size());
    if (own.size() > 1) {
      Map<TermPath, Integer> numbers = new HashMap<>();
      List<TermList.Entry> entries = body.outline().entries();
      for (int i = 0; i < entries.size(); i++) {
        numbers.put(entries.get(i).path(), i);
      }
      own.sort(Comparator.comparing(each -> numbers.getOrDefault(each.place(), 0)));
    }
  }

  private BodyKeys body(String name) {
    return java.util.Objects.requireNonNull(bodies.get(name), name);
  }

  private void begin(String name, Known known, Deque<String> open) {
    Known before = begins.get(name);
    Known both = before == null ? known : either(before, known);
    if (before == null
        || !KeyTable.isSame(before.always(), both.always())
        || !before.possible().equals(both.possible())) {
      begins.put(name, both);
      open.add(name);
    }
  }

  private static Known either(Known one, Known other) {
    return new Known(
        KeyTable.meet(one.always(), other.always()),
        KeyTable.plus(one.possible(), other.possible()));
  }

  /// Collects the calls of a body.
  private class Calls implements KeyReads.Sink {
    final Map<String, Known> known = new LinkedHashMap<>();
    final Map<String, Known> passed = new LinkedHashMap<>();

    @Override
    public void read(TermPath place, Reads reads, Known here) {}

    @Override
    public void call(Term.Call call, Known here) {
      if (bodies.containsKey(call.definition())) {
        Known copy = either(here, here);
        Map<String, Known> kind = call.arguments() == null ? known : passed;
        kind.merge(call.definition(), copy, DefiniteAssignment::either);
      }
    }

    @Override
    public void conflict(TermPath place, int key, TermPath one, TermPath other) {}
  }

  /// Turns reads of missing keys and conflicts into diagnostics.
  private final class Report implements KeyReads.Sink {
    private final Calls calls;

    Report(Calls calls) {
      this.calls = calls;
    }

    @Override
    public void read(TermPath place, Reads reads, Known here) {
      for (String key : reads.keys()) {
        int number = facts.keys.find(key);
        boolean isKnown = number != KeyTable.OTHERS && here.possible().get(number);
        if (number == KeyTable.OTHERS || !here.always().get(number)) {
          Kind kind = isKnown ? Kind.NOT_ON_EVERY_PATH : Kind.ON_NO_PATH;
          Set<String> available = facts.keys.names(here.always());
          Set<String> possible = facts.keys.names(here.possible());
          boolean isOpen = here.possible().get(KeyTable.OTHERS);
          report(
              new KeyDiagnostic(
                  kind, place, reads.text(), key, available, possible, isOpen, List.of()));
        }
      }
    }

    @Override
    public void call(Term.Call call, Known here) {
      calls.call(call, here);
    }

    @Override
    public void conflict(TermPath place, int key, TermPath one, TermPath other) {
      List<TermPath> writers = List.of(one, other);
      String name = facts.keys.name(key);
      Set<String> none = Collections.emptySet();
      report(new KeyDiagnostic(Kind.WRITTEN_TWICE, place, "", name, none, none, false, writers));
    }

    private void report(KeyDiagnostic diagnostic) {
      if (diagnostics.size() < DIAGNOSTICS_MAX) {
        diagnostics.add(diagnostic);
      }
    }
  }
}

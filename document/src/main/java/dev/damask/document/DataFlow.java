package dev.damask.document;

import dev.damask.expression.Expressions;
import dev.damask.expression.InvalidExpression;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.KnownWrites;
import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.InstancePolicy;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Computes which keys a context can have where an expression reads them.
///
/// It follows the flow forward: a key is known where a preceding term can have written it. Results
/// without `result`, payloads of signals and Java functions can write every key. Parallel branches
/// do not see each other's writes.
final class DataFlow {
  /// The maximum number of keys. Larger workflows are not checked, because the work is proportional
  /// to keys times terms.
  private static final int KEYS_MAX = 2_000;

  /// The maximum length of a chain of definitions that is followed.
  private static final int ROUNDS_MAX = 50;

  /// The possible keys of a context: the known ones, and whether there can be others.
  record Keys(Set<String> known, boolean isOpen) {
    Keys {
      known = Set.copyOf(known);
    }

    static final Keys NONE = new Keys(Set.of(), false);

    Keys with(String... names) {
      Set<String> all = new TreeSet<>(known);
      all.addAll(List.of(names));
      return new Keys(all, isOpen);
    }

    Keys and(Keys other) {
      if ((isOpen || !other.isOpen) && known.containsAll(other.known)) {
        return this;
      }
      Set<String> all = new TreeSet<>(known);
      all.addAll(other.known);
      return new Keys(all, isOpen || other.isOpen);
    }
  }

  /// A key that an expression reads although no known term writes it.
  record Missing(TermPath place, String name, String text, Keys keys) {}

  private final Map<String, Definition> definitions = new HashMap<>();
  private final Map<String, Keys> calledWith = new HashMap<>();
  private final Map<String, Keys> written = new HashMap<>();
  private final Map<String, Keys> payloads = new HashMap<>();
  private final Set<String> external = new TreeSet<>();
  private int graphs;
  private Map<String, Missing> missing = new TreeMap<>();

  private DataFlow(WorkflowDefinition workflow) {
    for (Definition each : workflow.definitions()) {
      definitions.put(each.name(), each);
      each.places().stream().filter(Place::external).forEach(place -> external.add(place.name()));
    }
    workflow.places().stream().filter(Place::external).forEach(p -> external.add(p.name()));
  }

  /// Returns the keys that are read and not known, each at the first place in the order of paths.
  static List<Missing> missing(WorkflowDefinition workflow, Keys start) {
    DataFlow flow = new DataFlow(workflow);
    flow.collect(workflow);
    if (flow.isTooLarge(workflow)) {
      return List.of();
    }
    Map<String, Keys> before;
    int rounds = 0;
    do {
      if (++rounds > ROUNDS_MAX) {
        return List.of();
      }
      before = Map.copyOf(flow.calledWith);
      flow.missing = new TreeMap<>();
      flow.visit(TermPath.BODY, workflow.body(), start);
      for (Definition each : workflow.definitions()) {
        Keys keys = flow.calledWith.get(each.name());
        if (keys != null) {
          flow.visit(TermPath.definition(each.name()), each.body(), keys);
        }
      }
    } while (!before.equals(flow.calledWith));
    return List.copyOf(flow.missing.values());
  }

  private boolean isTooLarge(WorkflowDefinition workflow) {
    Keys all = writes(workflow.body());
    return all.known().size() > KEYS_MAX
        || written.values().stream().anyMatch(keys -> keys.known().size() > KEYS_MAX);
  }

  /// Collects the keys that each definition can write and those that tokens on each place can
  /// carry.
  private void collect(WorkflowDefinition workflow) {
    TermWalker.walk(TermPath.BODY, workflow.body(), (path, term) -> payload(term));
    for (Definition each : workflow.definitions()) {
      TermWalker.walk(TermPath.BODY, each.body(), (path, term) -> payload(term));
    }
    Map<String, Keys> before;
    int rounds = 0;
    do {
      before = Map.copyOf(written);
      definitions.forEach((name, each) -> written.put(name, writes(each.body())));
    } while (!before.equals(written) && ++rounds < ROUNDS_MAX);
  }

  private void payload(Term term) {
    if (term instanceof Term.Emit(var place, var values)) {
      payloads.merge(place, new Keys(values.keySet(), false), Keys::and);
    }
    if (term instanceof Term.Defer(var alternatives)) {
      for (Alternative each : alternatives) {
        if (each instanceof Alternative.Take(var places, var isExternal, _) && isExternal) {
          external.addAll(places);
        }
      }
    }
  }

  /// Returns everything that the parts of a term can write.
  private Keys writes(Term term) {
    Set<String> keys = new TreeSet<>();
    boolean[] isOpen = new boolean[1];
    TermWalker.walk(
        TermPath.BODY,
        term,
        (path, each) -> {
          Keys own = own(each);
          keys.addAll(own.known());
          isOpen[0] |= own.isOpen();
        });
    return new Keys(keys, isOpen[0]);
  }

  /// Returns the keys that a term itself writes, without its parts.
  private Keys own(Term term) {
    return switch (term) {
      case Term.Task task -> task(task);
      case Term.Defer(var alternatives) -> {
        Keys keys = Keys.NONE;
        for (Alternative each : alternatives) {
          keys = keys.and(taken(each));
        }
        yield keys;
      }
      case Term.Mi(_, var policy, _) -> collected(policy);
      case Term.Cancel cancel ->
          cancel.options().handler() == null ? Keys.NONE : Keys.NONE.with("error");
      case Term.Call(var name) -> written.getOrDefault(name, Keys.NONE);
      case Term.Processes processes -> new Keys(Set.of(), true);
      default -> Keys.NONE;
    };
  }

  private static Keys task(Term.Task task) {
    return switch (task.work()) {
      case Term.Work.Pure(var function, var text) ->
          function instanceof KnownWrites known
              ? new Keys(known.writes().keySet(), false)
              : new Keys(Set.of(), !task.name().isEmpty());
      case Term.Work.Effect(var template, _) -> {
        String result = task.options().result();
        yield result != null
            ? new Keys(Set.of(result), false)
            : BuiltInPayloads.results(template.type())
                .map(keys -> new Keys(keys, false))
                .orElse(new Keys(Set.of(), true));
      }
    };
  }

  private Keys taken(Alternative alternative) {
    Keys keys = Keys.NONE;
    if (alternative instanceof Alternative.Take(var places, _, _)) {
      for (String place : places) {
        keys =
            keys.and(
                external.contains(place)
                    ? new Keys(Set.of(), true)
                    : payloads.getOrDefault(place, Keys.NONE));
      }
    }
    return keys;
  }

  private static Keys collected(InstancePolicy policy) {
    return policy.collect() == null ? Keys.NONE : Keys.NONE.with(policy.collect() + "_all");
  }

  /// Records the keys that a term reads and returns the possible keys after it.
  private Keys visit(TermPath path, Term term, Keys keys) {
    List<TermWalker.Part> parts = TermWalker.parts(term);
    return switch (term) {
      case Term.Task task -> {
        reads(path, task, keys);
        Keys after = keys.and(task(task));
        parts.forEach(part -> visit(path.then(part.step()), part.term(), after));
        yield after;
      }
      case Term.Seq seq -> {
        Keys at = keys;
        for (TermWalker.Part part : parts) {
          at = visit(path.then(part.step()), part.term(), at);
        }
        yield at;
      }
      case Term.Par par -> all(path, parts, keys);
      case Term.Xor(var choices) -> {
        choices.forEach(choice -> asks(path, choice.guard(), keys));
        yield all(path, parts, keys);
      }
      case Term.Join(_, var branches) -> {
        branches.forEach(choice -> asks(path, choice.guard(), keys));
        yield all(path, parts, keys);
      }
      case Term.Loop(var policy, var body) -> loop(path, policy, body, parts, keys);
      case Term.Defer(var alternatives) -> defer(path, alternatives, parts, keys);
      case Term.Cancel cancel -> scope(path, parts, keys);
      case Term.Mi(_, var policy, _) -> instances(path, policy, parts, keys);
      case Term.Emit(_, var values) -> {
        values.values().forEach(value -> reads(path, value, keys));
        yield keys;
      }
      case Term.Kill kill -> keys;
      case Term.Call(var name) -> {
        calledWith.merge(name, keys, Keys::and);
        yield keys.and(written.getOrDefault(name, Keys.NONE));
      }
      case Term.Graph graph -> graph(path, graph, parts, keys);
      case Term.Processes processes -> new Keys(Set.of(), true);
    };
  }

  private Keys all(TermPath path, List<TermWalker.Part> parts, Keys keys) {
    Keys after = keys;
    for (TermWalker.Part part : parts) {
      after = after.and(visit(path.then(part.step()), part.term(), keys));
    }
    return after;
  }

  /// Visits a loop. A round can read the keys that the previous round has written.
  private Keys loop(
      TermPath path, LoopPolicy policy, Term body, List<TermWalker.Part> parts, Keys keys) {
    Keys around = keys.and(writes(body));
    switch (policy) {
      case LoopPolicy.While(var guard) -> asks(path, guard, around);
      case LoopPolicy.Until(var guard) -> asks(path, guard, around);
      case LoopPolicy.Count(var count) -> reads(path, count, keys);
    }
    return all(path, parts, around);
  }

  private Keys defer(
      TermPath path, List<Alternative> alternatives, List<TermWalker.Part> parts, Keys keys) {
    Keys after = keys;
    for (int i = 0; i < parts.size(); i++) {
      Keys taken = keys.and(taken(alternatives.get(i)));
      after = after.and(visit(path.then(parts.get(i).step()), parts.get(i).term(), taken));
    }
    return after;
  }

  private Keys scope(TermPath path, List<TermWalker.Part> parts, Keys keys) {
    Keys after = keys;
    for (TermWalker.Part part : parts) {
      Keys inside = part.step().equals(".catch") ? keys.with("error") : keys;
      after = after.and(visit(path.then(part.step()), part.term(), inside));
    }
    return after;
  }

  private Keys instances(
      TermPath path, InstancePolicy policy, List<TermWalker.Part> parts, Keys keys) {
    reads(path, policy.count(), keys);
    if (policy.need() instanceof InstancePolicy.Need.Count(var count)) {
      reads(path, count, keys);
    } else if (policy.need() instanceof InstancePolicy.Need.When(var condition)) {
      reads(path, condition.text(), keys.with("done", "total", "results"));
    }
    for (TermWalker.Part part : parts) {
      visit(path.then(part.step()), part.term(), keys.with("item", "index"));
    }
    return keys.and(collected(policy));
  }

  /// Follows the arcs until no node receives new keys.
  private Keys graph(TermPath path, Term.Graph graph, List<TermWalker.Part> parts, Keys keys) {
    Map<String, Keys> arriving = new HashMap<>();
    // Nested iterations would take exponential time, so inner graphs are visited once.
    Keys start = graphs > 0 ? keys.and(writes(graph)) : keys;
    graphs++;
    splits(path, graph.start(), start, arriving);
    Map<String, Missing> known = missing;
    Map<String, Keys> before;
    do {
      before = Map.copyOf(arriving);
      missing = new TreeMap<>(known); // only the last round has all keys that can arrive
      for (int i = 0; i < graph.nodes().size(); i++) {
        Node node = graph.nodes().get(i);
        Keys in = arriving.get(node.id());
        if (in != null) {
          TermWalker.Part part = parts.get(i);
          Keys out = visit(path.then(part.step()), part.term(), in);
          splits(path.then(part.step()), node.then(), out, arriving);
        }
      }
    } while (graphs == 1 && !before.equals(arriving));
    graphs--;
    return arriving.getOrDefault(Node.END, start);
  }

  private void splits(TermPath path, Split split, Keys keys, Map<String, Keys> arriving) {
    List<Split.Arc> arcs =
        switch (split) {
          case Split.Xor(var all) -> all;
          case Split.Or(var all) -> all;
          default -> List.of();
        };
    arcs.forEach(arc -> asks(path, arc.guard(), keys));
    split.targets().forEach(target -> arriving.merge(target, keys, Keys::and));
  }

  private void reads(TermPath path, Term.Task task, Keys keys) {
    if (task.options().key() != null) {
      reads(path, task.options().key(), keys);
    }
    switch (task.work()) {
      case Term.Work.Pure(var function, var text) -> {
        if (function instanceof KnownWrites known) {
          known.writes().values().forEach(value -> reads(path, value, keys));
        }
      }
      case Term.Work.Effect(var template, _) -> {
        if (template instanceof TaskReader.DocumentEffect effect) {
          expressions(effect.with()).forEach(value -> reads(path, value, keys));
        }
      }
    }
  }

  private static List<Expression> expressions(Template template) {
    List<Expression> found = new ArrayList<>();
    List<Template> open = new ArrayList<>(List.of(template));
    for (int i = 0; i < open.size(); i++) {
      switch (open.get(i)) {
        case Template.Hole(var expression) -> found.add(expression);
        case Template.Mixed(var parts) -> open.addAll(parts);
        case Template.Items(var items) -> open.addAll(items);
        case Template.Entries(var entries) -> open.addAll(entries.values());
        case Template.Fixed fixed -> {}
        case Template.Secret secret -> {}
      }
    }
    return found;
  }

  private void asks(TermPath path, @Nullable Guard guard, Keys keys) {
    if (guard != null) {
      reads(path, guard.text(), keys);
    }
  }

  private void reads(TermPath path, Expression expression, Keys keys) {
    reads(path, expression.text(), keys);
  }

  /// Records the keys that an expression reads. `ctx` is the whole context, which can be tested for
  /// keys.
  private void reads(TermPath path, String text, Keys keys) {
    Set<String> names;
    try {
      names = Expressions.names(text);
    } catch (InvalidExpression e) {
      return; // a constant that is written as a value, such as a list
    }
    for (String name : names) {
      if (!name.equals("ctx") && !keys.known().contains(name)) {
        missing.merge(
            name,
            new Missing(path, name, text, keys),
            (one, other) -> one.keys().isOpen() && !other.keys().isOpen() ? other : one);
      }
    }
  }
}

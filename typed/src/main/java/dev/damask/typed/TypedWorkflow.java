package dev.damask.typed;

import dev.damask.check.DefiniteAssignment;
import dev.damask.check.KeyDiagnostic;
import dev.damask.term.Definition;
import dev.damask.term.Limits;
import dev.damask.term.Mode;
import dev.damask.term.Place;
import dev.damask.term.Signal;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.term.Workflow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A workflow with a typed input and a typed result, made by [Steps#workflow].
///
/// Its keys are checked when it is made; if it calls definitions, when the last of them is added.
///
/// @param <I> the input of a case
/// @param <O> the result of a case
public final class TypedWorkflow<I, O> implements Workflow<I, O> {
  private final WorkflowDefinition definition;
  private final BoundKey<I> input;
  private final @Nullable BoundKey<O> output; // null when the result is the context
  private final Function<Context, O> result;
  private final Map<String, Attribute<?>> attributes;

  /// A value of a case under which it can be found.
  private record Attribute<A>(BoundKey<A> key, Function<? super A, ?> function) {
    Object of(Context context) {
      return function.apply(key.read(context));
    }
  }

  private TypedWorkflow(
      WorkflowDefinition definition,
      BoundKey<I> input,
      @Nullable BoundKey<O> output,
      Function<Context, O> result,
      Map<String, Attribute<?>> attributes) {
    this.definition = definition;
    this.input = input;
    this.output = output;
    this.result = result;
    this.attributes = attributes;
    if (isComplete()) {
      check();
    }
  }

  static <I, O> TypedWorkflow<I, O> of(WorkflowDefinition definition, Key<I> input, Key<O> output) {
    BoundKey<O> to = BoundKey.of(output);
    return new TypedWorkflow<>(definition, BoundKey.toWrite(input), to, to::read, Map.of());
  }

  static <I> TypedWorkflow<I, Context> of(WorkflowDefinition definition, Key<I> input) {
    return new TypedWorkflow<>(
        definition, BoundKey.toWrite(input), null, Function.identity(), Map.of());
  }

  /// Whether every definition that is called is there.
  private boolean isComplete() {
    TreeSet<String> called = new TreeSet<>();
    List<Term> bodies = new ArrayList<>(List.of(definition.body()));
    definition.definitions().forEach(each -> bodies.add(each.body()));
    for (Term body : bodies) {
      TermWalker.walk(
          TermPath.BODY,
          body,
          (_, term) -> {
            if (term instanceof Term.Call call) {
              called.add(call.definition());
            }
          });
    }
    definition.definitions().forEach(each -> called.remove(each.name()));
    return called.isEmpty();
  }

  private void check() {
    TypedKeys keys = new TypedKeys(input, output);
    List<String> problems = new ArrayList<>();
    for (KeyDiagnostic each : DefiniteAssignment.check(definition, keys)) {
      problems.add(sentence(each));
    }
    problems.addAll(keys.problems());
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(
          "workflow " + definition.name() + ": " + String.join("; ", problems));
    }
  }

  private static String sentence(KeyDiagnostic found) {
    String available =
        found.kind() == KeyDiagnostic.Kind.WRITTEN_TWICE
            ? found.remedy()
            : "available here: " + new TreeSet<>(found.available());
    return "%s: %s, %s".formatted(found.place(), found.sentence(), available);
  }

  private TypedWorkflow<I, O> with(WorkflowDefinition changed) {
    return new TypedWorkflow<>(changed, input, output, result, attributes);
  }

  /// Declares a value of a case under which it can be found: a string, a number, a boolean, an enum
  /// or a time.
  public <A> TypedWorkflow<I, O> attribute(
      String name, Key<A> key, Function<? super A, ?> function) {
    Map<String, Attribute<?>> all = new TreeMap<>(attributes);
    if (name.isBlank() || all.put(name, new Attribute<>(BoundKey.of(key), function)) != null) {
      throw new IllegalArgumentException(
          "workflow %s: attribute '%s' needs a name that no other attribute has"
              .formatted(definition.name(), name));
    }
    return new TypedWorkflow<>(definition, input, output, result, all);
  }

  /// The declared attributes of a case with this context; those whose key is missing are left out.
  public Map<String, Object> attributes(Context context) {
    Map<String, Object> values = new TreeMap<>();
    attributes.forEach((name, each) -> {
      if (context.has(each.key().entry())) {
        values.put(name, each.of(context));
      }
    });
    return values;
  }

  /// Adds the bodies that `call` runs.
  public TypedWorkflow<I, O> definitions(Definition... definitions) {
    boolean hasScript =
        List.of(definitions).stream().anyMatch(each -> TypedScript.isIn(each.body()));
    WorkflowDefinition changed = definition.withDefinitions(definitions);
    return with(hasScript ? changed.withPlaces(TypedScript.MAILBOX) : changed);
  }

  /// Declares places besides those of the signals that the workflow waits for.
  public TypedWorkflow<I, O> places(Place... places) {
    return with(definition.withPlaces(places));
  }

  /// Ends a case with its first thread instead of its last.
  public TypedWorkflow<I, O> untilFirst() {
    return with(definition.withMode(Mode.EXPLICIT));
  }

  /// Changes the bounds of a case.
  public TypedWorkflow<I, O> limits(Limits limits) {
    return with(definition.withLimits(limits));
  }

  @Override
  public WorkflowDefinition definition() {
    return definition;
  }

  @Override
  public Context encode(I value) {
    return Context.of(input.entry(), input.encode(value));
  }

  @Override
  public O decode(Context context) {
    return result.apply(context);
  }

  @Override
  public <T> Context payload(Signal<T> signal, T value) {
    if (signal.isEmpty()) {
      return Context.empty();
    }
    return Context.of(signal.payload().name(), BoundKey.toWrite(signal.payload()).encode(value));
  }

  @Override
  public String toString() {
    return "workflow "
        + definition.name()
        + Arrays.asList(input.key(), output == null ? "context" : output.key());
  }
}

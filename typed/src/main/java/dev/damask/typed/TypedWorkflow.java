package dev.damask.typed;

import dev.damask.check.DefiniteAssignment;
import dev.damask.check.KeyDiagnostic;
import dev.damask.task.Expression;
import dev.damask.task.TaskFunction;
import dev.damask.term.Attribute;
import dev.damask.term.Declared;
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
import java.lang.invoke.MethodType;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
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

  private TypedWorkflow(
      WorkflowDefinition definition,
      BoundKey<I> input,
      @Nullable BoundKey<O> output,
      Function<Context, O> result) {
    this.definition = definition.withDeclared(declared(definition, input, output));
    this.input = input;
    this.output = output;
    this.result = result;
    if (isComplete()) {
      check();
    }
  }

  static <I, O> TypedWorkflow<I, O> of(WorkflowDefinition definition, Key<I> input, Key<O> output) {
    BoundKey<O> to = BoundKey.of(output);
    return new TypedWorkflow<>(definition, BoundKey.toWrite(input), to, to::read);
  }

  static <I> TypedWorkflow<I, Context> of(WorkflowDefinition definition, Key<I> input) {
    return new TypedWorkflow<>(definition, BoundKey.toWrite(input), null, Function.identity());
  }

  /// What the keys declare, for data that does not come through this workflow: over HTTP, from the
  /// command line, or from a caller without the types.
  private static Declared declared(
      WorkflowDefinition definition, BoundKey<?> input, @Nullable BoundKey<?> output) {
    Declared own = definition.declared();
    Map<String, List<BoundKey<?>>> received = new HashMap<>();
    for (TaskFunction each : functions(definition)) {
      if (each instanceof Receiving(var signal, var payload)) {
        received.computeIfAbsent(signal, _ -> new ArrayList<>()).add(payload);
      } else if (each instanceof TypedScript.Scripting script) {
        for (Signal<?> signal : script.limits().signals()) {
          BoundKey<?> payload = BoundKey.toWrite(signal.payload());
          received.computeIfAbsent(signal.name(), _ -> new ArrayList<>()).add(payload);
        }
      }
    }
    Map<String, Function<Context, List<String>>> payloads = new HashMap<>();
    // Waits of several types may wait at one place; a payload fits if it fits one of them.
    received.forEach(
        (place, keys) -> payloads.put(place, payload -> BoundKey.problems(keys, payload)));
    return new Declared(
        own.attributes(),
        input::problems,
        output == null ? own.output() : output::problems,
        own.inputKeys(),
        own.outputKeys(),
        own.redacted(),
        false,
        payloads,
        signatures(definition, input, output));
  }

  /// The types that the stored data of cases must fit, for the report about changed ones.
  private static Map<String, String> signatures(
      WorkflowDefinition definition, BoundKey<?> input, @Nullable BoundKey<?> output) {
    Map<String, String> all = new TreeMap<>();
    input.shapes(all);
    if (output != null) {
      output.shapes(all);
    }
    terms(
        definition,
        term -> {
          Access access = term instanceof Term.Task task ? TypedKeys.access(task) : null;
          if (access != null) {
            access.reads().forEach(each -> each.shapes(all));
            access.writes().forEach(each -> each.shapes(all));
          }
          if (access instanceof TypedScript.Scripting script) {
            all.put(script.label(), Access.signature(script.reads(), script.writes()));
          }
        });
    return all;
  }

  private static void terms(WorkflowDefinition definition, Consumer<Term> action) {
    TermWalker.walk(TermPath.BODY, definition.body(), (_, term) -> action.accept(term));
    for (Definition each : definition.definitions()) {
      TermWalker.walk(TermPath.BODY, each.body(), (_, term) -> action.accept(term));
    }
  }

  private static List<TaskFunction> functions(WorkflowDefinition definition) {
    List<TaskFunction> functions = new ArrayList<>();
    terms(
        definition,
        term -> {
          if (term instanceof Term.Task(_, Term.Work.Pure(var function, _), _, _)) {
            functions.add(function);
          }
        });
    return functions;
  }

  /// Whether every definition that is called is there.
  private boolean isComplete() {
    TreeSet<String> called = new TreeSet<>();
    terms(
        definition,
        term -> {
          if (term instanceof Term.Call call) {
            called.add(call.definition());
          }
        });
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
    problems.addAll(CallStep.problems(functions(definition)));
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
    return new TypedWorkflow<>(changed, input, output, result);
  }

  /// Declares a value under which cases can be found: a string, a number, a boolean, an enum, a
  /// time, a date or a UUID; null and an empty `Optional` mean that a case has none. It is computed
  /// whenever the value of the key changes. The function must be fast and depend on nothing else; a
  /// change of the function is not noticed, so rename the attribute or call
  /// [dev.damask.cases.Engine#reindex].
  public <A> TypedWorkflow<I, O> attribute(
      String name, Key<A> key, Function<? super A, ?> function) {
    return attribute(name, Attribute.Type.ANY, BoundKey.of(key), function);
  }

  /// Declares a value of one Java type under which cases can be found. Throws
  /// `IllegalArgumentException` if values of this type cannot be indexed.
  public <A, V> TypedWorkflow<I, O> attribute(
      String name, Class<V> type, Key<A> key, Function<? super A, ? extends V> function) {
    return attribute(name, typeOf(name, type), BoundKey.of(key), function);
  }

  private <A> TypedWorkflow<I, O> attribute(
      String name, Attribute.Type type, BoundKey<A> key, Function<? super A, ?> function) {
    Expression value =
        Expression.named(
            "java", context -> context.has(key.entry()) ? function.apply(key.read(context)) : null);
    List<Attribute> all = new ArrayList<>(definition.attributes());
    try {
      all.add(new Attribute(name, type, value, List.of(key.entry())));
      return with(definition.withAttributes(all));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "workflow " + definition.name() + ": attribute '" + name + "': " + e.getMessage(), e);
    }
  }

  private Attribute.Type typeOf(String name, Class<?> type) {
    Class<?> wrapped = MethodType.methodType(type).wrap().returnType();
    if (Number.class.isAssignableFrom(wrapped)) {
      return Attribute.Type.NUMBER;
    }
    if (wrapped == Boolean.class) {
      return Attribute.Type.FLAG;
    }
    if (List.of(Instant.class, OffsetDateTime.class, ZonedDateTime.class).contains(wrapped)) {
      return Attribute.Type.TIME;
    }
    boolean isText =
        wrapped.isEnum()
            || List.of(String.class, LocalDate.class, LocalDateTime.class, UUID.class)
                .contains(wrapped);
    if (!isText) {
      throw new IllegalArgumentException(
          ("workflow %s: attribute '%s': values of %s cannot be indexed; use a string, a number, a"
                  + " boolean, an enum, a time, a date or a UUID")
              .formatted(definition.name(), name, type.getName()));
    }
    return Attribute.Type.TEXT;
  }

  /// The declared attributes of a case with this context; those whose key is missing are left out.
  public Map<String, Object> attributes(Context context) {
    Map<String, Object> values = new TreeMap<>();
    for (Attribute each : definition.attributes()) {
      Object value = each.value().value(context);
      if (value != null) {
        values.put(each.name(), value);
      }
    }
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

package dev.damask.document;

import dev.damask.check.DefiniteAssignment;
import dev.damask.check.Diagnostic;
import dev.damask.check.Diagnostic.Severity;
import dev.damask.check.KeyDiagnostic;
import dev.damask.check.KeyDiagnostic.Kind;
import dev.damask.check.Nearest;
import dev.damask.expression.Expressions;
import dev.damask.expression.UnknownField;
import dev.damask.task.Delivery;
import dev.damask.task.Expression;
import dev.damask.task.KnownWrites;
import dev.damask.term.Definition;
import dev.damask.term.InstancePolicy;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/// Checks the data of a document: the names that its expressions read, the effect types that its
/// tasks request, and the payloads of the built-in types.
public final class DocumentCheck {
  private final WorkflowDocument document;
  private final Set<String> types;
  private final Set<String> answered;
  private final List<Diagnostic> diagnostics = new ArrayList<>();

  private DocumentCheck(WorkflowDocument document, Set<String> types, Set<String> answered) {
    this.document = document;
    this.types = new TreeSet<>(types);
    this.types.addAll(BuiltInPayloads.types());
    this.answered = answered;
  }

  /// Checks names, types and payloads.
  ///
  /// @param types effect types that have a handler besides the built-in ones
  public static List<Diagnostic> check(WorkflowDocument document, Set<String> types) {
    DocumentCheck check = new DocumentCheck(document, types, Set.of());
    check.effects();
    check.each(check::number);
    check.schedule();
    check.names();
    return check.diagnostics;
  }

  /// Checks only types and payloads, which must be correct before a case starts.
  ///
  /// @param answered tasks whose results come from elsewhere, for any effect type
  public static List<Diagnostic> checkEffects(
      WorkflowDocument document, Set<String> types, Set<String> answered) {
    DocumentCheck check = new DocumentCheck(document, types, answered);
    check.effects();
    return check.diagnostics;
  }

  private void effects() {
    each(this::effect);
  }

  private void effect(TermPath path, Term term) {
    if (!(term instanceof Term.Task task)
        || !(task.work() instanceof Term.Work.Effect effect)
        || !(effect.template() instanceof TaskReader.DocumentEffect template)
        || answered.contains(task.name())) {
      return;
    }
    // A task without a type uses the handler with the task's name, which cannot be mistyped.
    if (template.isTyped() && !types.contains(template.type())) {
      diagnostics.add(
          new Diagnostic(
              Severity.ERROR,
              "UNKNOWN_EFFECT",
              path,
              "unknown effect type '" + template.type() + "'",
              Nearest.hint(template.type(), types)));
    }
    if (task.options().delivery() == Delivery.EXACTLY_ONCE
        && BuiltInPayloads.types().contains(template.type())) {
      diagnostics.add(
          new Diagnostic(
              Severity.ERROR,
              "EXACTLY_ONCE",
              path,
              "an effect of the built-in type '%s' joins no transaction".formatted(template.type()),
              "use another delivery, or a handler in Java that accepts a connection"));
    }
    if (!template.isTyped() && template.source() == null) {
      return;
    }
    for (String problem : BuiltInPayloads.problems(template.type(), template.source())) {
      diagnostics.add(new Diagnostic(Severity.ERROR, "PAYLOAD", path, problem, ""));
    }
  }

  /// Reports a schedule none of whose cases can start, because its input is refused.
  private void schedule() {
    DocumentSchedule schedule = document.schedule().orElse(null);
    if (schedule == null) {
      return;
    }
    Context start = document.workflow().context().withAll(schedule.input());
    List<String> problems = document.input().problems(start);
    if (!problems.isEmpty()) {
      int more = problems.size() - 1;
      diagnostics.add(
          new Diagnostic(
              Severity.ERROR,
              "SCHEDULE_INPUT",
              new TermPath(null, "schedule"),
              "a case of the schedule does not fit 'input': "
                  + problems.getFirst()
                  + (more == 0 ? "" : " (and " + more + " more)"),
              "add the values to 'with' of the schedule"));
    }
  }

  /// Reports each name once, at the first place with the most severe diagnostic.
  private void names() {
    boolean isDeclared = declaresAll();
    DocumentKeys keys = new DocumentKeys(start(), results(), schemas());
    Map<String, Diagnostic> found = new LinkedHashMap<>();
    for (KeyDiagnostic each : DefiniteAssignment.check(document.workflow(), keys)) {
      UnknownField field = keys.field(each.key());
      Diagnostic diagnostic = field == null ? name(each, isDeclared) : field(each, field);
      found.merge(
          each.key(), diagnostic, (one, other) -> !one.isError() && other.isError() ? other : one);
    }
    diagnostics.addAll(found.values());
    diagnostics.addAll(new AttributeCheck(document, keys, start(), isDeclared).run(this::each));
  }

  private static Diagnostic name(KeyDiagnostic missing, boolean isDeclared) {
    boolean isNever = missing.kind() == Kind.ON_NO_PATH;
    boolean isError = isNever && isDeclared && !missing.unknownWriter();
    return new Diagnostic(
        isError ? Severity.ERROR : Severity.WARNING,
        isNever ? "UNKNOWN_NAME" : "NOT_ALWAYS_WRITTEN",
        missing.place(),
        missing.sentence(),
        isNever ? remedy(missing, isDeclared) : missing.remedy());
  }

  private static Diagnostic field(KeyDiagnostic missing, UnknownField field) {
    String sentence =
        field.kind().equals("object")
            ? "'%s' reads '%s.%s', which input does not declare"
                .formatted(missing.reader(), field.owner(), field.field())
            : "'%s' reads '%s.%s', but input declares '%s' as a %s"
                .formatted(
                    missing.reader(), field.owner(), field.field(), field.owner(), field.kind());
    return new Diagnostic(
        missing.unknownWriter() ? Severity.WARNING : Severity.ERROR,
        "UNKNOWN_FIELD",
        missing.place(),
        sentence,
        field.known().isEmpty()
            ? "use '" + field.owner() + "' itself, or change its schema"
            : Nearest.hint(field.field(), field.known()));
  }

  private static String remedy(KeyDiagnostic missing, boolean isDeclared) {
    String declare = isDeclared ? "" : "declare it under input";
    if (missing.possible().isEmpty() && !isDeclared) {
      return declare;
    }
    String hint = Nearest.hint(missing.key(), missing.possible());
    return declare.isEmpty() ? hint : hint + "; or " + declare;
  }

  /// Returns whether the schema of the input lists every key that a caller may pass.
  private boolean declaresAll() {
    return document.input().value() instanceof Map<?, ?> schema
        && (schema.get("properties") instanceof Map
            || Boolean.FALSE.equals(schema.get("additionalProperties")))
        && Set.of("allOf", "anyOf", "oneOf", "$ref", "patternProperties", "if").stream()
            .noneMatch(schema::containsKey)
        && !(schema.get("additionalProperties") instanceof Map)
        && !Boolean.TRUE.equals(schema.get("additionalProperties"));
  }

  private Set<String> start() {
    Set<String> keys = new TreeSet<>(document.workflow().context().toMap().keySet());
    if (document.input().value() instanceof Map<?, ?> schema) {
      if (schema.get("properties") instanceof Map<?, ?> properties) {
        properties.keySet().forEach(key -> keys.add(String.valueOf(key)));
      }
      keys.addAll(required(schema));
    }
    return keys;
  }

  /// Returns the keys that the schema of the output requires.
  private Set<String> results() {
    return document.output().value() instanceof Map<?, ?> schema ? required(schema) : Set.of();
  }

  private static Set<String> required(Map<?, ?> schema) {
    Set<String> keys = new TreeSet<>();
    if (schema.get("required") instanceof List<?> required) {
      required.forEach(key -> keys.add(String.valueOf(key)));
    }
    return keys;
  }

  /// Returns the schemas of the keys that only the input writes.
  private Map<String, Object> schemas() {
    Map<String, Object> schemas = new HashMap<>();
    if (document.input().value() instanceof Map<?, ?> schema
        && schema.get("properties") instanceof Map<?, ?> properties) {
      properties.forEach((key, value) -> {
        if (value != null) {
          schemas.put(String.valueOf(key), value);
        }
      });
    }
    document.workflow().context().toMap().keySet().forEach(schemas::remove);
    each((path, term) -> written(term).forEach(schemas::remove));
    return schemas;
  }

  private static Set<String> written(Term term) {
    return switch (term) {
      case Term.Task task -> {
        String key = task.options().result();
        yield key != null
            ? Set.of(key)
            : task.work() instanceof Term.Work.Pure(KnownWrites known, _)
                ? known.writes().keySet()
                : Set.of();
      }
      case Term.Emit(_, var payload) -> payload.keySet();
      case Term.Mi(_, var policy, _) -> Set.of("item", "index", policy.collect() + "_all");
      case Term.Cancel _ -> Set.of("error");
      case Term.Call call when call.result() != null -> Set.of(call.result());
      case Term.Call call when call.arguments() != null -> call.arguments().keySet();
      default -> Set.of();
    };
  }

  private void each(BiConsumer<TermPath, Term> action) {
    TermWalker.walk(TermPath.BODY, document.workflow().body(), action);
    for (Definition each : document.workflow().definitions()) {
      TermWalker.walk(TermPath.definition(each.name()), each.body(), action);
    }
  }

  /// Reports numbers whose expression never is one.
  private void number(TermPath path, Term term) {
    switch (term) {
      case Term.Mi(_, var policy, _) -> {
        number(path, "count", policy.count(), "a number or a list");
        if (policy.need() instanceof InstancePolicy.Need.Count(var need)) {
          number(path, "need", need, "a number");
        }
      }
      case Term.Loop(LoopPolicy.Count(var count), _) -> number(path, "count", count, "a number");
      default -> {}
    }
  }

  private void number(TermPath path, String what, Expression expression, String expected) {
    if (expression.folded().parts().isLiteral()) {
      return; // the check of terms reports constants
    }
    String kind = Expressions.kind(expression.text());
    boolean fits =
        kind.equals("any")
            || kind.equals("int")
            || (kind.equals("list") && expected.endsWith("list"));
    if (!fits) {
      diagnostics.add(
          new Diagnostic(
              Severity.ERROR,
              "WRONG_TYPE",
              path,
              "%s '%s' is always of type %s".formatted(what, expression.text(), kind),
              "use " + expected));
    }
  }
}

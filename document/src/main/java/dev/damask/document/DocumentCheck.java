package dev.damask.document;

import dev.damask.check.Finding;
import dev.damask.check.Finding.Severity;
import dev.damask.check.Nearest;
import dev.damask.document.DataFlow.Keys;
import dev.damask.document.DataFlow.Missing;
import dev.damask.term.Definition;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Checks the data of a document: the names that its expressions read, the effect types that its
/// tasks request, and the payloads of the built-in types.
public final class DocumentCheck {
  private final WorkflowDocument document;
  private final Set<String> types;
  private final Set<String> answered;
  private final List<Finding> findings = new ArrayList<>();

  private DocumentCheck(WorkflowDocument document, Set<String> types, Set<String> answered) {
    this.document = document;
    this.types = new TreeSet<>(types);
    this.types.addAll(BuiltInPayloads.types());
    this.answered = answered;
  }

  /// Checks names, types and payloads.
  ///
  /// @param types effect types that have a handler besides the built-in ones
  public static List<Finding> check(WorkflowDocument document, Set<String> types) {
    DocumentCheck check = new DocumentCheck(document, types, Set.of());
    check.effects();
    check.names();
    return check.findings;
  }

  /// Checks only types and payloads, which must be correct before a case starts.
  ///
  /// @param answered tasks whose results come from elsewhere, for any effect type
  public static List<Finding> checkEffects(
      WorkflowDocument document, Set<String> types, Set<String> answered) {
    DocumentCheck check = new DocumentCheck(document, types, answered);
    check.effects();
    return check.findings;
  }

  private void effects() {
    TermWalker.walk(TermPath.BODY, document.workflow().body(), this::effect);
    for (Definition each : document.workflow().definitions()) {
      TermWalker.walk(TermPath.definition(each.name()), each.body(), this::effect);
    }
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
      findings.add(
          new Finding(
              Severity.ERROR,
              "UNKNOWN_EFFECT",
              path,
              "unknown effect type '" + template.type() + "'",
              Nearest.hint(template.type(), types)));
    }
    if (!template.isTyped() && template.source() == null) {
      return;
    }
    for (String problem : BuiltInPayloads.problems(template.type(), template.source())) {
      findings.add(new Finding(Severity.ERROR, "PAYLOAD", path, problem, ""));
    }
  }

  private void names() {
    boolean isDeclared = declaresAll();
    for (Missing each : DataFlow.missing(document.workflow(), start())) {
      boolean isError = isDeclared && !each.keys().isOpen();
      String sentence =
          "'%s' reads '%s', which %s"
              .formatted(
                  each.text(),
                  each.name(),
                  each.keys().isOpen()
                      ? "only a result or payload with unknown keys can write"
                      : "no preceding step writes");
      String remedy = remedy(each, isDeclared);
      findings.add(
          new Finding(
              isError ? Severity.ERROR : Severity.WARNING,
              "UNKNOWN_NAME",
              each.place(),
              sentence,
              remedy));
    }
  }

  private static String remedy(Missing missing, boolean isDeclared) {
    String declare = isDeclared ? "" : "declare it under input";
    if (missing.keys().known().isEmpty() && !isDeclared) {
      return declare;
    }
    String hint = Nearest.hint(missing.name(), missing.keys().known());
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

  private Keys start() {
    Set<String> keys = new TreeSet<>(document.workflow().context().toMap().keySet());
    if (document.input().value() instanceof Map<?, ?> schema) {
      if (schema.get("properties") instanceof Map<?, ?> properties) {
        properties.keySet().forEach(key -> keys.add(String.valueOf(key)));
      }
      if (schema.get("required") instanceof List<?> required) {
        required.forEach(key -> keys.add(String.valueOf(key)));
      }
    }
    return new Keys(keys, false);
  }
}

package dev.damask.document;

import dev.damask.json.JsonWriter;
import dev.damask.task.Expression;
import dev.damask.term.Definition;
import dev.damask.term.Limits;
import dev.damask.term.Mode;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes workflows as documents. Throws [NotWritable] for a Java function, which a document cannot
/// express.
public final class DocumentWriter {
  private DocumentWriter() {}

  /// Thrown when a part of a workflow can be expressed only in Java.
  public static final class NotWritable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotWritable(String message) {
      super(message, null, false, false);
    }
  }

  /// Returns the document in canonical form: no spaces, sorted keys. Equal workflows have equal
  /// texts.
  public static String canonical(WorkflowDocument document) {
    return JsonWriter.canonical(tree(document));
  }

  /// Returns the document as indented JSON for people.
  public static String pretty(WorkflowDocument document) {
    return JsonWriter.pretty(tree(document));
  }

  private static Map<String, @Nullable Object> tree(WorkflowDocument document) {
    Map<String, @Nullable Object> tree = tree(document.workflow(), document.payloads());
    if (document.input() != InputSchema.NONE) {
      tree.put("input", document.input().value());
    }
    if (document.output() != InputSchema.NONE) {
      tree.put("output", document.output().value());
    }
    if (!document.assertions().isEmpty()) {
      tree.put("assert", document.assertions().stream().map(DocumentWriter::assertion).toList());
    }
    document.schedule().ifPresent(schedule -> tree.put("schedule", schedule.tree()));
    Map<String, @Nullable Object> limits = limits(document.workflow().limits());
    if (document.runLimits().quantumSteps() > 0) {
      limits.put("quantum", (long) document.runLimits().quantumSteps());
    }
    if (document.runLimits().caseTime() != null) {
      limits.put("time", document.runLimits().caseTime().toString());
    }
    if (!limits.isEmpty()) {
      tree.put("limits", limits);
    }
    return tree;
  }

  private static Map<String, @Nullable Object> tree(
      WorkflowDefinition workflow, Map<String, InputSchema> payloads) {
    TermWriter terms = new TermWriter();
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("workflow", workflow.name());
    if (!workflow.version().isEmpty()) {
      tree.put("version", workflow.version());
    }
    if (!workflow.description().isEmpty()) {
      tree.put("description", workflow.description());
    }
    if (workflow.mode() == Mode.EXPLICIT) {
      tree.put("mode", "explicit");
    }
    if (!workflow.context().isEmpty()) {
      tree.put("context", plain(workflow.context()));
    }
    if (!workflow.attributes().isEmpty()) {
      Map<String, @Nullable Object> attributes = new LinkedHashMap<>();
      workflow.attributes().forEach(each -> attributes.put(each.name(), text(each.value())));
      tree.put("attributes", attributes);
    }
    if (!workflow.declared().redacted().isEmpty()) {
      tree.put("redact", workflow.declared().redacted());
    }
    if (!workflow.places().isEmpty()) {
      tree.put("places", places(workflow.places(), payloads));
    }
    Map<String, @Nullable Object> definitions = new LinkedHashMap<>();
    for (Definition definition : workflow.definitions()) {
      Object body = terms.write(definition.body());
      definitions.put(
          definition.name(),
          definition.places().isEmpty()
              ? body
              : Map.of("places", places(definition.places(), payloads), "do", body));
    }
    if (!definitions.isEmpty()) {
      tree.put("definitions", definitions);
    }
    tree.put("do", terms.write(workflow.body()));
    return tree;
  }

  private static Object plain(Context context) {
    return context.toMap();
  }

  private static Map<String, @Nullable Object> places(
      List<Place> places, Map<String, InputSchema> payloads) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    for (Place place : places) {
      Map<String, @Nullable Object> one = new LinkedHashMap<>();
      if (place.external()) {
        one.put("external", true);
      }
      if (place.lifetime() != Place.Lifetime.PERSISTENT) {
        one.put("lifetime", place.lifetime().name().toLowerCase(Locale.ROOT));
      }
      if (place.init() > 0) {
        one.put("init", (long) place.init());
      }
      InputSchema payload = payloads.get(place.name());
      if (payload != null) {
        one.put("input", payload.value());
      }
      all.put(place.name(), one);
    }
    return all;
  }

  private static Map<String, @Nullable Object> limits(Limits limits) {
    Limits usual = Limits.DEFAULT;
    Map<String, @Nullable Object> changed = new LinkedHashMap<>();
    put(changed, "nodes", limits.nodes(), usual.nodes());
    put(changed, "branches", limits.branches(), usual.branches());
    put(changed, "callDepth", limits.callDepth(), usual.callDepth());
    put(changed, "instances", limits.instances(), usual.instances());
    put(changed, "openEffects", limits.openEffects(), usual.openEffects());
    put(changed, "placeTokens", limits.placeTokens(), usual.placeTokens());
    put(changed, "contextBytes", limits.contextBytes(), usual.contextBytes());
    put(changed, "steps", limits.steps(), usual.steps());
    put(changed, "bufferedBytes", limits.bufferedBytes(), usual.bufferedBytes());
    put(changed, "resultBytes", limits.resultBytes(), usual.resultBytes());
    return changed;
  }

  private static void put(Map<String, @Nullable Object> map, String key, long value, long usual) {
    if (value != usual) {
      map.put(key, value);
    }
  }

  private static Map<String, Object> assertion(DocumentAssertion assertion) {
    return switch (assertion) {
      case DocumentAssertion.NeverBefore(var task, var before) ->
          Map.of("neverBefore", List.of(task, before));
      case DocumentAssertion.AtMostOnce(var task) -> Map.of("atMostOnce", task);
      case DocumentAssertion.LeadsTo(var task, var then) -> Map.of("leadsTo", List.of(task, then));
      case DocumentAssertion.MayEnd(var statuses) -> Map.of("mayEnd", statuses);
      case DocumentAssertion.NeverTogether(var task, var other) ->
          Map.of("neverTogether", List.of(task, other));
    };
  }

  /// Returns the text of an expression. Throws [NotWritable] if the expression is a Java function.
  static String text(Expression expression) {
    return written(expression.text());
  }

  static String written(String text) {
    if (text.equals("java")) {
      throw new NotWritable("an expression written in Java cannot be written in a document");
    }
    return text;
  }
}

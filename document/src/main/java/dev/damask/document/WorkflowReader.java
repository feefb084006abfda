package dev.damask.document;

import dev.damask.document.FieldReader.Entry;
import dev.damask.json.Json;
import dev.damask.json.Json.Fields;
import dev.damask.json.Position;
import dev.damask.task.Expression;
import dev.damask.task.TaskFunction;
import dev.damask.term.Attribute;
import dev.damask.term.Declared;
import dev.damask.term.Definition;
import dev.damask.term.Limits;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/// Creates a workflow from a tree that fits the grammar.
final class WorkflowReader {
  private final Diagnostics diagnostics;
  private final Map<String, Position> positions = new HashMap<>();
  private final FieldReader fields;
  private final Limits limits;
  private final TermReader terms;
  private final Map<String, InputSchema> payloads = new TreeMap<>();

  WorkflowReader(Diagnostics diagnostics, Map<String, TaskFunction> functions, Fields root) {
    this.diagnostics = diagnostics;
    this.fields = new FieldReader(diagnostics, root, DocumentReader.ROOT);
    this.limits = limits(fields.objectOrEmpty("limits"));
    this.terms = new TermReader(diagnostics, functions, positions, limits.nodes());
  }

  WorkflowDocument read() {
    List<Definition> definitions = new ArrayList<>();
    fields.entries("definitions").forEach((name, e) -> definitions.add(definition(name, e)));
    Term body = terms.read(fields.require("do"), TermPath.BODY);
    InputSchema input = schema(fields, "input");
    InputSchema output = schema(fields, "output");
    List<Place> places = places(fields);
    Declared declared = declared(input, output);
    WorkflowDefinition workflow =
        fields.make(() ->
            new WorkflowDefinition(
                fields.text("workflow"),
                fields.text("version"),
                fields.text("description"),
                GraphReader.mode(fields),
                fields.context("context"),
                places,
                definitions,
                limits,
                body,
                declared));
    new BranchCheck(diagnostics, positions).check(workflow);
    Json schedule = fields.node("schedule");
    if (schedule != null) {
      positions.put("schedule", schedule.at());
    }
    FieldReader bounds = fields.objectOrEmpty("limits");
    return new WorkflowDocument(
        workflow,
        input,
        output,
        payloads,
        fields.list("assert", entry -> assertion(fields.object(entry))),
        new RunLimits(bounds.whole("quantum", 0), bounds.duration("time")),
        DocumentSchedule.read(fields),
        positions);
  }

  private Declared declared(InputSchema input, InputSchema output) {
    List<Attribute> attributes = attributes(input);
    List<String> redacted = fields.has("redact") ? fields.names("redact") : List.of();
    boolean isNothing =
        attributes.isEmpty()
            && redacted.isEmpty()
            && input == InputSchema.NONE
            && output == InputSchema.NONE
            && payloads.isEmpty();
    Map<String, Function<Context, List<String>>> checks = new TreeMap<>();
    payloads.forEach((place, schema) -> checks.put(place, schema::problems));
    return isNothing
        ? Declared.NOTHING
        : new Declared(
            attributes,
            input::problems,
            output::problems,
            input.keys(),
            output.keys(),
            redacted,
            false,
            checks,
            Map.of());
  }

  private List<Attribute> attributes(InputSchema input) {
    List<Attribute> attributes = new ArrayList<>();
    fields
        .entries("attributes")
        .forEach((name, entry) -> {
          Expression value = fields.expression(entry);
          positions.put("attributes." + name, entry.node().at());
          attributes.add(
              fields.make(
                  entry.node(),
                  entry.path(),
                  () -> new Attribute(name, input.typeOf(value), value, reads(value))));
        });
    return attributes;
  }

  /// The keys that an expression reads; empty if they are unknown, or all of them may be.
  private static List<String> reads(Expression value) {
    List<String> keys =
        value.parts().names().stream().map(List::getFirst).distinct().sorted().toList();
    return keys.contains("ctx") ? List.of() : keys;
  }

  private static InputSchema schema(FieldReader fields, String key) {
    return schema(fields, key, new TermPath(null, key), "the context");
  }

  /// Returns the schema under a key; [InputSchema#NONE] without one.
  static InputSchema schema(FieldReader fields, String key, TermPath path, String what) {
    Json schema = fields.node(key);
    return schema == null
        ? InputSchema.NONE
        : fields.make(schema, path, () -> InputSchema.of(what, FieldReader.value(schema)));
  }

  private List<Place> places(FieldReader fields) {
    List<Place> places = new ArrayList<>();
    fields
        .entries("places")
        .forEach((name, entry) -> {
          FieldReader place = fields.object(entry);
          String lifetime = place.text("lifetime", "persistent").toUpperCase(Locale.ROOT);
          InputSchema payload = schema(place, "input", entry.path().then(".input"), "the payload");
          if (payload != InputSchema.NONE) {
            if (!place.flag("external")) {
              throw place.problem(
                  "input", "'input' is allowed only on an external place, where signals arrive");
            }
            payloads.put(name, payload);
          }
          places.add(
              place.make(() ->
                  new Place(
                      name,
                      place.flag("external"),
                      Place.Lifetime.valueOf(lifetime),
                      place.whole("init", 0))));
        });
    return places;
  }

  private Definition definition(String name, Entry entry) {
    TermPath path = TermPath.definition(name);
    if (entry.node() instanceof Fields node && !GrammarCheck.hasLeadingKey(node)) {
      FieldReader fields = new FieldReader(diagnostics, node, path);
      Term body = terms.read(fields.require("do"), path);
      return fields.make(() -> new Definition(name, places(fields), body));
    }
    Term body = terms.read(entry.node(), path);
    FieldReader fields =
        new FieldReader(diagnostics, new Fields(entry.node().at(), Map.of()), path);
    return fields.make(() -> new Definition(name, List.of(), body));
  }

  private static Limits limits(FieldReader fields) {
    Limits usual = Limits.DEFAULT;
    return new Limits(
        fields.whole("nodes", usual.nodes()),
        fields.whole("branches", usual.branches()),
        fields.whole("callDepth", usual.callDepth()),
        fields.whole("instances", usual.instances()),
        fields.whole("openEffects", usual.openEffects()),
        fields.whole("placeTokens", usual.placeTokens()),
        fields.whole("contextBytes", usual.contextBytes()),
        fields.wholeLong("steps", usual.steps()),
        fields.whole("bufferedBytes", usual.bufferedBytes()),
        fields.whole("resultBytes", usual.resultBytes()));
  }

  private static DocumentAssertion assertion(FieldReader fields) {
    if (fields.has("atMostOnce")) {
      return new DocumentAssertion.AtMostOnce(fields.text("atMostOnce"));
    }
    if (fields.has("mayEnd")) {
      return new DocumentAssertion.MayEnd(fields.names("mayEnd"));
    }
    String key =
        fields.has("neverBefore")
            ? "neverBefore"
            : fields.has("leadsTo") ? "leadsTo" : "neverTogether";
    List<String> pair = fields.names(key);
    if (pair.size() != 2) {
      throw fields.problem(key, "expected two names, found " + pair.size());
    }
    return switch (key) {
      case "neverBefore" -> new DocumentAssertion.NeverBefore(pair.getFirst(), pair.getLast());
      case "leadsTo" -> new DocumentAssertion.LeadsTo(pair.getFirst(), pair.getLast());
      default -> new DocumentAssertion.NeverTogether(pair.getFirst(), pair.getLast());
    };
  }
}

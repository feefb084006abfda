package dev.damask.api;

import dev.damask.document.InputSchema;
import dev.damask.document.LoadedDocument;
import dev.damask.json.JsonWriter;
import dev.damask.json.Position;
import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Where the parts of one version of a workflow are: in its definition, its document and its
/// drawing. The id of an element is the path of its term.
///
/// @param definition null if only a Java program has it that is not registered
/// @param document null if the workflow comes from Java
/// @param elements every term that has a name or a kind to show, in the order of the definition
/// @param byName the elements at which a case waits for a task, place or set of this name
public record Sources(
    String workflow,
    @Nullable WorkflowDefinition definition,
    @Nullable LoadedDocument document,
    List<Element> elements,
    Map<String, List<String>> byName) {
  public Sources {
    elements = List.copyOf(elements);
    byName = Collections.unmodifiableMap(byName);
  }

  /// A part of a workflow.
  ///
  /// @param name of a task, scope, set of instances, node or awaited places; empty if it has none
  public record Element(String id, String kind, String name) {}

  /// Returns the sources of a definition and its document.
  public static Sources of(
      String workflow, @Nullable WorkflowDefinition definition, @Nullable LoadedDocument document) {
    List<Element> elements = new ArrayList<>();
    Map<String, List<String>> byName = new TreeMap<>();
    if (definition != null) {
      walk(TermPath.BODY, definition.body(), elements, byName);
      for (Definition each : definition.definitions()) {
        walk(TermPath.definition(each.name()), each.body(), elements, byName);
      }
    }
    return new Sources(workflow, definition, document, elements, byName);
  }

  private static void walk(
      TermPath root, Term body, List<Element> elements, Map<String, List<String>> byName) {
    TermWalker.walk(
        root,
        body,
        (path, term) -> {
          String id = path.toString();
          List<String> waits = waits(term);
          String kind = term.getClass().getSimpleName().toLowerCase(Locale.ROOT);
          elements.add(new Element(id, kind, name(term, waits)));
          waits.forEach(each -> byName.computeIfAbsent(each, _ -> new ArrayList<>()).add(id));
        });
  }

  private static String name(Term term, List<String> waits) {
    return switch (term) {
      case Term.Cancel scope -> scope.name();
      case Term.Emit emit -> emit.place();
      case Term.Kill kill -> kill.name();
      default -> String.join(", ", waits);
    };
  }

  /// The names under which a case that is at a term is found.
  private static List<String> waits(Term term) {
    return switch (term) {
      case Term.Task task -> List.of(task.name());
      case Term.Mi set -> List.of(set.name());
      case Term.Defer(var alternatives) -> {
        List<String> places = new ArrayList<>();
        for (Alternative each : alternatives) {
          switch (each) {
            case Alternative.Take take -> places.addAll(take.places());
            case Alternative.Test test -> places.addAll(test.places());
            case Alternative.After _, Alternative.Expired _ -> {}
          }
        }
        yield places.stream().distinct().toList();
      }
      default -> List.of();
    };
  }

  /// Returns the line of an element in the document; null if there is no document.
  public @Nullable Long line(String element) {
    return document == null ? null : (long) document.document().nearest(element).line();
  }

  /// Returns the elements as JSON.
  public List<Map<String, @Nullable Object>> json() {
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    for (Element each : elements) {
      Position at = document == null ? null : document.document().positions().get(each.id());
      all.add(
          JsonWriter.object(
              "id", each.id(),
              "line", at == null ? null : (long) at.line(),
              "column", at == null ? null : (long) at.column(),
              "name", each.name(),
              "kind", each.kind()));
    }
    return all;
  }

  /// Returns the first element that has a name; empty if none has.
  public Optional<String> element(String name) {
    List<String> all = byName.get(name);
    return all == null ? Optional.empty() : Optional.of(all.getFirst());
  }

  /// Returns what a name stands for that a case waits for: `task`, `signal` or `set`.
  public String kind(String name) {
    String id = element(name).orElse("");
    return elements.stream()
        .filter(each -> each.id().equals(id))
        .map(each ->
            switch (each.kind()) {
              case "defer" -> "signal";
              case "mi" -> "set";
              default -> "task";
            })
        .findFirst()
        .orElse("task");
  }

  /// Returns the version for people; empty if it is unknown.
  public String version() {
    return definition == null ? "" : definition.version();
  }

  /// Returns what a token that is at an element waits for, in words; empty if unknown.
  public String waitsFor(String element) {
    return elements.stream()
        .filter(each -> each.id().equals(element))
        .map(Element::name)
        .findFirst()
        .orElse("");
  }

  /// Returns the places that accept signals, with the schemas of their payloads.
  public List<Map<String, @Nullable Object>> signals() {
    Map<String, Boolean> names = new LinkedHashMap<>();
    if (definition != null) {
      definition.places().stream()
          .filter(Place::external)
          .forEach(each -> names.put(each.name(), true));
      List<Term> bodies = new ArrayList<>();
      bodies.add(definition.body());
      definition.definitions().forEach(each -> bodies.add(each.body()));
      for (Term body : bodies) {
        TermWalker.walk(
            TermPath.BODY,
            body,
            (_, term) -> {
              if (term instanceof Term.Defer(var alternatives)) {
                alternatives.forEach(each -> {
                  if (each instanceof Alternative.Take take && take.external()) {
                    take.places().forEach(place -> names.put(place, true));
                  }
                });
              }
            });
      }
    }
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    for (String name : names.keySet()) {
      Map<String, @Nullable Object> one = JsonWriter.object("name", name);
      InputSchema schema = document == null ? null : document.document().payloads().get(name);
      if (schema != null) {
        one.put("schema", schema.value());
      }
      all.add(one);
    }
    return all;
  }

  /// Returns the tasks whose results have a schema.
  public List<Map<String, @Nullable Object>> tasks() {
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    if (document != null) {
      document
          .document()
          .results()
          .forEach(
              (name, schema) -> all.add(JsonWriter.object("name", name, "result", schema.value())));
    }
    return all;
  }
}

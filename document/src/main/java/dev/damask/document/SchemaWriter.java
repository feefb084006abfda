package dev.damask.document;

import dev.damask.json.JsonWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Writes the JSON Schema of workflow and scenario documents, for completion and checks in editors.
/// It contains the same rules as the [Grammar].
public final class SchemaWriter {
  private final Map<String, Map<String, @Nullable Object>> definitions = new TreeMap<>();

  private SchemaWriter() {}

  /// Returns the schema of workflow and scenario documents.
  public static String write() {
    SchemaWriter writer = new SchemaWriter();
    Map<String, @Nullable Object> root = new LinkedHashMap<>();
    root.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    root.put("title", "Damask documents");
    root.put("description", "A workflow or a scenario. Generated from the grammar; do not edit.");
    root.put("type", "object");
    root.put("if", Map.of("required", List.of("scenario")));
    root.put("then", writer.reference(Grammar.SCENARIO));
    root.put("else", writer.reference(Grammar.WORKFLOW));
    writer.define("term", writer.term());
    Map<String, @Nullable Object> sorted = new LinkedHashMap<>(writer.definitions);
    root.put("$defs", sorted);
    return JsonWriter.pretty(root);
  }

  private Map<String, @Nullable Object> reference(ObjectRule shape) {
    String name = Grammar.TERMS.get(shape.name()) == shape ? "term." + shape.name() : shape.name();
    if (!definitions.containsKey(name)) {
      // The name is reserved first, because a shape may contain itself.
      define(name, new LinkedHashMap<>());
      define(name, object(shape));
    }
    return reference(name);
  }

  private void define(String name, Map<String, @Nullable Object> schema) {
    definitions.put(name, schema);
  }

  private static Map<String, @Nullable Object> reference(String name) {
    return map("$ref", "#/$defs/" + name);
  }

  private static Map<String, @Nullable Object> map(String key, @Nullable Object value) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put(key, value);
    return map;
  }

  private Map<String, @Nullable Object> object(ObjectRule shape) {
    Map<String, @Nullable Object> schema = map("type", "object");
    schema.put("description", shape.description());
    Map<String, @Nullable Object> properties = new LinkedHashMap<>();
    List<String> required = new ArrayList<>();
    for (ObjectRule.Key key : shape.keys()) {
      Map<String, @Nullable Object> property = new LinkedHashMap<>(schema(key.rule()));
      property.put("description", key.description());
      properties.put(key.name(), property);
      if (key.required()) {
        required.add(key.name());
      }
    }
    schema.put("properties", properties);
    if (!required.isEmpty()) {
      schema.put("required", required);
    }
    if (!shape.oneOf().isEmpty()) {
      schema.put(
          "oneOf", shape.oneOf().stream().map(key -> map("required", List.of(key))).toList());
    }
    schema.put("additionalProperties", false);
    return schema;
  }

  /// Returns the schema of a term: a list, or an object whose leading key determines its shape.
  /// With a chain of conditions, an editor reports the errors of the intended shape instead of all
  /// shapes.
  private Map<String, @Nullable Object> term() {
    Map<String, @Nullable Object> list = map("type", "array");
    list.put("items", reference("term"));
    list.put("minItems", 1);
    Map<String, @Nullable Object> leading = map("type", "object");
    leading.put(
        "anyOf",
        Grammar.TERMS.keySet().stream().map(key -> map("required", List.of(key))).toList());
    Map<String, @Nullable Object> chain = leading;
    List<ObjectRule> shapes = new ArrayList<>(Grammar.TERMS.values());
    for (int i = shapes.size() - 1; i >= 0; i--) {
      Map<String, @Nullable Object> link =
          map("if", map("required", List.of(shapes.get(i).name())));
      link.put("then", reference(shapes.get(i)));
      link.put("else", chain);
      chain = link;
    }
    Map<String, @Nullable Object> term = map("description", "A term: a list is a sequence.");
    term.put("if", map("type", "array"));
    term.put("then", list);
    Map<String, @Nullable Object> object = map("type", "object");
    object.put("allOf", List.of(chain));
    term.put("else", object);
    return term;
  }

  private Map<String, @Nullable Object> schema(ValueRule rule) {
    return switch (rule) {
      case ValueRule.Text any -> map("type", "string");
      case ValueRule.Name any -> {
        Map<String, @Nullable Object> name = map("type", "string");
        name.put("minLength", 1);
        yield name;
      }
      case ValueRule.Formula any -> map("type", List.of("string", "number", "boolean", "null"));
      case ValueRule.Time any -> map("type", List.of("string", "number"));
      case ValueRule.Whole(var min, var max) -> {
        Map<String, @Nullable Object> whole = map("type", "integer");
        whole.put("minimum", min);
        whole.put("maximum", max);
        yield whole;
      }
      case ValueRule.Numeral any -> map("type", "number");
      case ValueRule.Flag any -> map("type", "boolean");
      case ValueRule.Yes any -> map("const", true);
      case ValueRule.Words(var words) -> map("enum", words);
      case ValueRule.Anything any -> new LinkedHashMap<>();
      case ValueRule.ListOf(var item, var min) -> {
        Map<String, @Nullable Object> list = map("type", "array");
        list.put("items", schema(item));
        if (min > 0) {
          list.put("minItems", min);
        }
        yield list;
      }
      case ValueRule.MapOf(var value) -> {
        Map<String, @Nullable Object> map = map("type", "object");
        map.put("additionalProperties", schema(value));
        yield map;
      }
      case ValueRule.Shaped(var shape) -> reference(shape);
      case ValueRule.Either(var rules) -> map("anyOf", rules.stream().map(this::schema).toList());
      case ValueRule.TermRule any -> reference("term");
      case ValueRule.TermOr(var shape) -> {
        Map<String, @Nullable Object> both = map("if", isTerm());
        both.put("then", reference("term"));
        both.put("else", reference(shape));
        yield both;
      }
    };
  }

  private static Map<String, @Nullable Object> isTerm() {
    List<Map<String, @Nullable Object>> signs = new ArrayList<>();
    signs.add(map("type", "array"));
    Grammar.TERMS.keySet().forEach(key -> signs.add(map("required", List.of(key))));
    return map("anyOf", signs);
  }
}

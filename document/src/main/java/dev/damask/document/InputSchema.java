package dev.damask.document;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import dev.damask.expression.Expressions;
import dev.damask.task.Expression;
import dev.damask.term.Attribute;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The JSON Schema of data from outside: the context that a case is started with, the payload of a
/// signal, the result of a task. Patterns are matched in linear time, and remote references are not
/// loaded.
public final class InputSchema {
  /// Allows every context.
  public static final InputSchema NONE = new InputSchema("the context", null, true);

  /// What is checked, as messages call it.
  private final String what;

  /// Null if every context is allowed.
  private final @Nullable Schema schema;

  private final @Nullable Object value;

  private InputSchema(String what, @Nullable Schema schema, @Nullable Object value) {
    this.what = what;
    this.schema = schema;
    this.value = value;
  }

  /// Returns the schema as a plain value: an object or a boolean.
  public @Nullable Object value() {
    return value;
  }

  /// Returns the names of the declared properties, in the order of the document.
  List<String> keys() {
    return value instanceof Map<?, ?> schema && schema.get("properties") instanceof Map<?, ?> all
        ? all.keySet().stream().map(String::valueOf).toList()
        : List.of();
  }

  /// Returns the errors of a context, one line each. Empty if the context may start a case.
  public List<String> problems(Context context) {
    return schema == null ? List.of() : told(what, schema.validate(json(context.toMap())));
  }

  /// Returns the type of an attribute whose expression is one key of the input, or a field behind
  /// it; [Attribute.Type#ANY] if the schema does not specify it.
  Attribute.Type typeOf(Expression expression) {
    List<String> path =
        expression.parts().names().size() == 1
            ? expression.parts().names().iterator().next()
            : List.of();
    if (path.isEmpty() || !expression.text().strip().equals(String.join(".", path))) {
      return Attribute.Type.ANY;
    }
    Object at = value;
    for (String key : path) {
      at =
          at instanceof Map<?, ?> schema && schema.get("properties") instanceof Map<?, ?> all
              ? all.get(key)
              : null;
    }
    if (!(at instanceof Map<?, ?> schema)) {
      return Attribute.Type.ANY;
    }
    return switch (String.valueOf(schema.get("type"))) {
      case "string" ->
          "date-time".equals(schema.get("format")) ? Attribute.Type.TIME : Attribute.Type.TEXT;
      case "integer", "number" -> Attribute.Type.NUMBER;
      case "boolean" -> Attribute.Type.FLAG;
      default -> Attribute.Type.ANY;
    };
  }

  /// Creates a schema from a plain value. Throws `IllegalArgumentException` if it is not a valid
  /// JSON Schema.
  static InputSchema of(@Nullable Object value) {
    return of("the context", value);
  }

  /// As [#of(Object)], for other data than a context.
  ///
  /// @param what what is checked, as messages call it
  static InputSchema of(String what, @Nullable Object value) {
    JsonNode node = json(value);
    SchemaRegistry registry = registry();
    String dialect = SpecificationVersion.DRAFT_2020_12.getDialectId();
    try {
      List<String> wrong =
          told(what, registry.getSchema(SchemaLocation.of(dialect)).validate(node));
      if (!wrong.isEmpty()) {
        throw new IllegalArgumentException("not a valid JSON Schema: " + wrong.getFirst());
      }
      Schema schema = registry.getSchema(node);
      // Invalid patterns and unresolved references are reported only when the schema is used.
      schema.validate(json(Map.of()));
      return new InputSchema(what, schema, value);
    } catch (SchemaException e) {
      String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new IllegalArgumentException("not a valid JSON Schema: " + why);
    }
  }

  private static SchemaRegistry registry() {
    SchemaRegistryConfig config =
        SchemaRegistryConfig.builder()
            .regularExpressionFactory(pattern -> {
              Predicate<String> found = Expressions.pattern(pattern);
              return found::test;
            })
            .build();
    return SchemaRegistry.withDefaultDialect(
        SpecificationVersion.DRAFT_2020_12,
        builder ->
            builder
                .schemaRegistryConfig(config)
                .schemaLoader(loader -> loader.fetchRemoteResources(false)));
  }

  private static List<String> told(String what, List<Error> errors) {
    return errors.stream().map(error -> told(what, error)).toList();
  }

  private static String told(String what, Error error) {
    String place = String.valueOf(error.getInstanceLocation());
    String message =
        Optional.ofNullable(error.getMessage()).orElse("does not fit").replaceAll("\\s+", " ");
    return (place.isEmpty() ? what : place) + ": " + message;
  }

  static JsonNode json(@Nullable Object value) {
    JsonNodeFactory make = JsonNodeFactory.instance;
    return switch (value) {
      case null -> make.nullNode();
      case Boolean flag -> make.booleanNode(flag);
      case Long number -> make.numberNode(number);
      case Double number -> make.numberNode(number);
      case BigDecimal number -> make.numberNode(number);
      case List<?> list -> {
        ArrayNode array = make.arrayNode();
        list.forEach(item -> array.add(json(item)));
        yield array;
      }
      case Map<?, ?> map -> {
        ObjectNode object = make.objectNode();
        map.forEach((key, entry) -> object.set(String.valueOf(key), json(entry)));
        yield object;
      }
      default -> make.stringNode(value.toString());
    };
  }
}

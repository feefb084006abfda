package dev.damask.api;

import dev.damask.json.Json;
import dev.damask.json.JsonWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The shape of a JSON body: what a request must be, what an answer is, and what the OpenAPI
/// document contains.
public sealed interface BodyShape {
  /// Returns the shape as JSON Schema.
  Map<String, @Nullable Object> schema();

  /// Returns what is wrong with a value, or null if nothing is.
  ///
  /// @param path of the value, for the message
  @Nullable String problem(String path, Json value);

  /// Any JSON value.
  record Any() implements BodyShape {
    @Override
    public Map<String, @Nullable Object> schema() {
      return new LinkedHashMap<>();
    }

    @Override
    public @Nullable String problem(String path, Json value) {
      return null;
    }
  }

  /// A value of one JSON type.
  record Plain(Type type) implements BodyShape {
    @Override
    public Map<String, @Nullable Object> schema() {
      return JsonWriter.object("type", type.word);
    }

    @Override
    public @Nullable String problem(String path, Json value) {
      boolean isFit =
          switch (type) {
            case TEXT -> value instanceof Json.Text;
            case WHOLE -> value instanceof Json.Numeral number && number.whole().isPresent();
            case NUMBER -> value instanceof Json.Numeral;
            case NOTHING -> value instanceof Json.Nothing;
            case FLAG -> value instanceof Json.Flag;
            case DATA -> value instanceof Json.Fields;
          };
      return isFit ? null : path + " must be " + type.article + ", found " + value.kind();
    }
  }

  /// An object with any keys and values of one shape.
  record Keyed(BodyShape each) implements BodyShape {
    @Override
    public Map<String, @Nullable Object> schema() {
      return JsonWriter.object("type", "object", "additionalProperties", each.schema());
    }

    @Override
    public @Nullable String problem(String path, Json value) {
      if (!(value instanceof Json.Fields object)) {
        return path + " must be an object, found " + value.kind();
      }
      for (Map.Entry<String, Json> entry : object.entries().entrySet()) {
        String problem = each.problem(path + "." + entry.getKey(), entry.getValue());
        if (problem != null) {
          return problem;
        }
      }
      return null;
    }
  }

  /// A value of one of several shapes.
  record Either(List<BodyShape> shapes) implements BodyShape {
    public Either {
      shapes = List.copyOf(shapes);
    }

    @Override
    public Map<String, @Nullable Object> schema() {
      return JsonWriter.object("anyOf", shapes.stream().map(BodyShape::schema).toList());
    }

    @Override
    public @Nullable String problem(String path, Json value) {
      String first = null;
      for (BodyShape each : shapes) {
        String problem = each.problem(path, value);
        if (problem == null) {
          return null;
        }
        first = first == null ? problem : first;
      }
      return first;
    }
  }

  /// A shape that the document contains once, under a name.
  ///
  /// @param shape returns the shape, which may contain itself
  record Named(String name, Supplier<Fields> shape) implements BodyShape {
    @Override
    public Map<String, @Nullable Object> schema() {
      return JsonWriter.object("$ref", "#/components/schemas/" + name);
    }

    @Override
    public @Nullable String problem(String path, Json value) {
      return shape.get().problem(path, value);
    }
  }

  /// A list.
  record Items(BodyShape each) implements BodyShape {
    @Override
    public Map<String, @Nullable Object> schema() {
      return JsonWriter.object("type", "array", "items", each.schema());
    }

    @Override
    public @Nullable String problem(String path, Json value) {
      if (!(value instanceof Json.Items(_, var items))) {
        return path + " must be a list, found " + value.kind();
      }
      for (int i = 0; i < items.size(); i++) {
        String problem = each.problem(path + "[" + i + "]", items.get(i));
        if (problem != null) {
          return problem;
        }
      }
      return null;
    }
  }

  /// An object with known fields; requests with other fields are refused.
  record Fields(List<Field> fields) implements BodyShape {
    public Fields {
      fields = List.copyOf(fields);
    }

    @Override
    public Map<String, @Nullable Object> schema() {
      Map<String, @Nullable Object> properties = new LinkedHashMap<>();
      List<String> required = new ArrayList<>();
      for (Field each : fields) {
        Map<String, @Nullable Object> schema = each.shape.schema();
        if (!each.description.isEmpty()) {
          schema.put("description", each.description);
        }
        properties.put(each.name, schema);
        if (each.isRequired) {
          required.add(each.name);
        }
      }
      Map<String, @Nullable Object> all =
          JsonWriter.object("type", "object", "properties", properties);
      if (!required.isEmpty()) {
        all.put("required", required);
      }
      return all;
    }

    @Override
    public @Nullable String problem(String path, Json value) {
      if (!(value instanceof Json.Fields object)) {
        return (path.isEmpty() ? "the body" : path) + " must be an object, found " + value.kind();
      }
      String prefix = path.isEmpty() ? "" : path + ".";
      for (String name : object.entries().keySet()) {
        if (fields.stream().noneMatch(each -> each.name.equals(name))) {
          List<String> known = fields.stream().map(Field::name).toList();
          return prefix
              + shortened(name)
              + " is unknown; the fields are "
              + String.join(", ", known);
        }
      }
      for (Field each : fields) {
        Json found = object.get(each.name);
        boolean isMissing = found == null || found instanceof Json.Nothing;
        if (isMissing && each.isRequired) {
          return prefix + each.name + " is missing";
        }
        String problem =
            found == null || isMissing ? null : each.shape.problem(prefix + each.name, found);
        if (problem != null) {
          return problem;
        }
      }
      return null;
    }

    private static String shortened(String name) {
      return "'" + (name.length() > 60 ? name.substring(0, 60) + "…" : name) + "'";
    }
  }

  /// A field of an object.
  record Field(String name, BodyShape shape, boolean isRequired, String description) {}

  /// The JSON types that bodies have.
  enum Type {
    TEXT("string", "text"),
    WHOLE("integer", "an integer"),
    NUMBER("number", "a number"),
    NOTHING("null", "null"),
    FLAG("boolean", "a boolean"),
    DATA("object", "an object");

    private final String word;
    private final String article;

    Type(String word, String article) {
      this.word = word;
      this.article = article;
    }
  }

  /// A string.
  BodyShape TEXT = new Plain(Type.TEXT);

  /// An integer.
  BodyShape WHOLE = new Plain(Type.WHOLE);

  /// A number.
  BodyShape NUMBER = new Plain(Type.NUMBER);

  /// Null.
  BodyShape NOTHING = new Plain(Type.NOTHING);

  /// A boolean.
  BodyShape FLAG = new Plain(Type.FLAG);

  /// An object with any fields.
  BodyShape DATA = new Plain(Type.DATA);

  /// Any value.
  BodyShape ANY = new Any();

  /// Returns the shape of an object.
  static Fields of(Field... fields) {
    return new Fields(List.of(fields));
  }

  /// Returns the shape of a list.
  static Items list(BodyShape each) {
    return new Items(each);
  }

  /// Returns a field that must be there.
  static Field need(String name, BodyShape shape, String description) {
    return new Field(name, shape, true, description);
  }

  /// Returns a field that may be missing or null.
  static Field may(String name, BodyShape shape, String description) {
    return new Field(name, shape, false, description);
  }
}

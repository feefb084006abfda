package dev.damask.api;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The shapes of answers, written as lists of fields such as `id text, due text?, waitingFor
/// [Wait], note? text`.
///
/// The types are `text`, `whole`, `number`, `flag`, `data` (an object), `any` and the names of
/// other shapes. `[type]` is a list, `{type}` an object with any keys, `type|type` one of both.
/// `type?` may be null; a field `name?` may be missing. `...Name` stands for the fields of another
/// shape. A shape may refer to one that is defined later, or to itself.
public final class AnswerShapes {
  private final Map<String, BodyShape.Fields> named = new LinkedHashMap<>();

  /// Defines a shape that others refer to. Returns this.
  public AnswerShapes define(String name, String fields) {
    if (named.put(name, of(fields)) != null) {
      throw new IllegalArgumentException("shape " + name + ": is defined twice");
    }
    return this;
  }

  /// Returns the shape of an object.
  public BodyShape.Fields of(String fields) {
    List<BodyShape.Field> all = new ArrayList<>();
    for (String each : fields.split(",", -1)) {
      String field = each.strip();
      if (field.startsWith("...")) {
        all.addAll(shape(field.substring(3)).fields());
        continue;
      }
      String[] parts = field.split(" ", 2);
      if (parts.length != 2) {
        throw new IllegalArgumentException("field '" + field + "': expected a name and a type");
      }
      boolean isOptional = parts[0].endsWith("?");
      String name = isOptional ? parts[0].substring(0, parts[0].length() - 1) : parts[0];
      all.removeIf(known -> known.name().equals(name)); // a field replaces that of another shape
      all.add(new BodyShape.Field(name, type(parts[1]), !isOptional, ""));
    }
    return new BodyShape.Fields(all);
  }

  /// Returns a reference to a defined shape.
  public BodyShape.Named named(String name) {
    return new BodyShape.Named(name, () -> shape(name));
  }

  private BodyShape.Fields shape(String name) {
    BodyShape.Fields found = named.get(name);
    if (found == null) {
      throw new IllegalArgumentException("shape " + name + ": is not defined");
    }
    return found;
  }

  private BodyShape type(String text) {
    int last = text.length() - 1;
    if (text.endsWith("?")) {
      return new BodyShape.Either(List.of(type(text.substring(0, last)), BodyShape.NOTHING));
    }
    if (text.startsWith("[")) {
      return BodyShape.list(type(text.substring(1, last)));
    }
    if (text.startsWith("{")) {
      return new BodyShape.Keyed(type(text.substring(1, last)));
    }
    if (text.contains("|")) {
      List<BodyShape> all = new ArrayList<>();
      for (String each : text.split("\\|", -1)) {
        all.add(type(each));
      }
      return new BodyShape.Either(all);
    }
    return switch (text) {
      case "text" -> BodyShape.TEXT;
      case "whole" -> BodyShape.WHOLE;
      case "number" -> BodyShape.NUMBER;
      case "flag" -> BodyShape.FLAG;
      case "data" -> BodyShape.DATA;
      case "any" -> BodyShape.ANY;
      default -> named(text);
    };
  }
}

package dev.damask.expression;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A field that an expression reads although the schema does not declare it.
///
/// @param owner the value whose field is read, as text, such as `order.lines[]`
/// @param known the declared fields; empty if the value is not an object
/// @param kind the declared type of the owner
public record UnknownField(String owner, String field, Set<String> known, String kind) {
  /// The keywords that can allow further fields.
  private static final Set<String> OPEN =
      Set.of(
          "allOf",
          "anyOf",
          "oneOf",
          "not",
          "if",
          "$ref",
          "$dynamicRef",
          "patternProperties",
          "dependentSchemas",
          "unevaluatedProperties");

  private static final Set<String> PLAIN = Set.of("string", "number", "integer", "boolean");

  /// A value with its schema. The schema is null if it is not known.
  private record Typed(String text, @Nullable Map<?, ?> schema) {
    static final Typed UNKNOWN = new Typed("", null);
  }

  /// Walks one expression.
  private static final class Walk {
    private final Map<String, Object> schemas;
    private final Map<Integer, Typed> locals = new HashMap<>();
    private final List<UnknownField> found = new ArrayList<>();

    Walk(Map<String, Object> schemas) {
      this.schemas = schemas;
    }

    Typed visit(Tree tree) {
      return switch (tree) {
        case Tree.Constant _, Tree.Whole _ -> Typed.UNKNOWN;
        case Tree.Variable(_, var name) -> key(name);
        case Tree.Local(_, var slot) -> locals.getOrDefault(slot, Typed.UNKNOWN);
        case Tree.Select(_, Tree.Whole _, var field) -> key(field);
        case Tree.Select(_, var operand, var field) -> field(visit(operand), field);
        case Tree.Has(_, Tree.Whole _, _) -> Typed.UNKNOWN;
        case Tree.Has(_, var operand, var field) -> {
          field(visit(operand), field);
          yield Typed.UNKNOWN;
        }
        case Tree.Index(_, Tree.Whole _, Tree.Constant(_, String key)) -> key(key);
        case Tree.Index(_, var operand, Tree.Constant(_, String key)) -> field(visit(operand), key);
        case Tree.Index(_, var operand, var index) -> {
          visit(index);
          yield item(visit(operand));
        }
        case Tree.Fold(_, var range, var slots, var init, var body) -> {
          locals.put(slots.element(), item(visit(range)));
          visit(init);
          visit(body.condition());
          visit(body.step());
          visit(body.result());
          yield Typed.UNKNOWN;
        }
        case Tree.And(_, var left, var right) -> all(List.of(left, right));
        case Tree.Or(_, var left, var right) -> all(List.of(left, right));
        case Tree.Conditional(_, var condition, var then, var otherwise) ->
            all(List.of(condition, then, otherwise));
        case Tree.Unary(_, _, var operand) -> all(List.of(operand));
        case Tree.Binary(_, _, var left, var right) -> all(List.of(left, right));
        case Tree.Items(_, var items) -> all(items);
        case Tree.Entries(_, _, var values) -> all(values);
        case Tree.Append(_, _, var item) -> all(List.of(item));
        case Tree.NotFalse(_, var operand) -> all(List.of(operand));
        case Tree.Call call -> all(call.operands());
      };
    }

    private Typed all(List<Tree> trees) {
      trees.forEach(this::visit);
      return Typed.UNKNOWN;
    }

    private Typed key(String name) {
      return schemas.get(name) instanceof Map<?, ?> schema
          ? new Typed(name, schema)
          : Typed.UNKNOWN;
    }

    private static Typed item(Typed list) {
      return list.schema() != null
              && list.schema().get("items") instanceof Map<?, ?> items
              && !list.schema().containsKey("prefixItems")
          ? new Typed(list.text() + "[]", items)
          : Typed.UNKNOWN;
    }

    private Typed field(Typed owner, String field) {
      Map<?, ?> schema = owner.schema();
      if (schema == null || OPEN.stream().anyMatch(schema::containsKey)) {
        return Typed.UNKNOWN;
      }
      String text = owner.text() + "." + field;
      if (schema.get("properties") instanceof Map<?, ?> properties) {
        if (properties.containsKey(field)) {
          return properties.get(field) instanceof Map<?, ?> inner
              ? new Typed(text, inner)
              : Typed.UNKNOWN;
        }
        boolean isOpen =
            schema.get("additionalProperties") instanceof Map
                || Boolean.TRUE.equals(schema.get("additionalProperties"));
        if (!isOpen) {
          Set<String> known = new TreeSet<>();
          properties.keySet().forEach(key -> known.add(String.valueOf(key)));
          found.add(new UnknownField(owner.text(), field, known, "object"));
        }
      } else if (schema.get("type") instanceof String type && PLAIN.contains(type)) {
        found.add(new UnknownField(owner.text(), field, Set.of(), type));
      }
      return Typed.UNKNOWN;
    }
  }

  static List<UnknownField> in(Tree tree, Map<String, Object> schemas) {
    Walk walk = new Walk(schemas);
    walk.visit(tree);
    return walk.found.stream().distinct().toList();
  }
}

package dev.damask.document;

import dev.damask.json.Json;
import dev.damask.json.Json.Fields;
import dev.damask.json.Json.Items;
import dev.damask.term.TermPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Compares a tree with the [Grammar] and reports the differences.
final class GrammarCheck {
  private final Diagnostics diagnostics;

  GrammarCheck(Diagnostics diagnostics) {
    this.diagnostics = diagnostics;
  }

  void check(Json node, ValueRule rule, TermPath path) {
    if (!isOfKind(node, rule)) {
      diagnostics.add(
          path, node, "expected " + Expected.of(rule) + ", found " + Expected.shown(node));
      return;
    }
    switch (rule) {
      case ValueRule.ListOf(var item, var min) -> list((Items) node, item, min, path);
      case ValueRule.MapOf(var value) ->
          ((Fields) node)
              .entries()
              .forEach((key, entry) -> check(entry, value, path.then("." + key)));
      case ValueRule.Shaped(var shape) -> shape((Fields) node, shape, path);
      case ValueRule.Either(var rules) -> {
        for (ValueRule each : rules) {
          if (isOfKind(node, each)) {
            check(node, each, path);
            return;
          }
        }
      }
      case ValueRule.TermRule any -> term(node, path);
      case ValueRule.TermOr(var shape) -> {
        if (node instanceof Fields fields && !hasLeadingKey(fields)) {
          shape(fields, shape, path);
        } else {
          term(node, path);
        }
      }
      case ValueRule.Text any -> {}
      case ValueRule.Name any -> {}
      case ValueRule.Formula any -> {}
      case ValueRule.Time any -> {}
      case ValueRule.Whole any -> {}
      case ValueRule.Numeral any -> {}
      case ValueRule.Flag any -> {}
      case ValueRule.Yes any -> {}
      case ValueRule.Words any -> {}
      case ValueRule.Anything any -> {}
    }
  }

  private static boolean isOfKind(Json node, ValueRule rule) {
    return switch (rule) {
      case ValueRule.Text any -> node instanceof Json.Text;
      case ValueRule.Name any -> node instanceof Json.Text(var at, var text) && !text.isEmpty();
      case ValueRule.Formula any -> !(node instanceof Items) && !(node instanceof Fields);
      case ValueRule.Time any -> node instanceof Json.Text || node instanceof Json.Numeral;
      case ValueRule.Whole(var min, var max) ->
          node instanceof Json.Numeral numeral
              && numeral.number() instanceof Long number
              && number >= min
              && number <= max;
      case ValueRule.Numeral any -> node instanceof Json.Numeral;
      case ValueRule.Flag any -> node instanceof Json.Flag;
      case ValueRule.Yes any -> node instanceof Json.Flag(var at, var value) && value;
      case ValueRule.Words(var words) ->
          node instanceof Json.Text(var at, var text) && words.contains(text);
      case ValueRule.Anything any -> true;
      case ValueRule.ListOf any -> node instanceof Items;
      case ValueRule.MapOf any -> node instanceof Fields;
      case ValueRule.Shaped any -> node instanceof Fields;
      case ValueRule.Either(var rules) -> rules.stream().anyMatch(each -> isOfKind(node, each));
      case ValueRule.TermRule any -> node instanceof Items || node instanceof Fields;
      case ValueRule.TermOr any -> node instanceof Items || node instanceof Fields;
    };
  }

  private void list(Items node, ValueRule item, int min, TermPath path) {
    if (node.items().size() < min) {
      diagnostics.add(
          path,
          node,
          "expected at least "
              + min
              + (min == 1 ? " entry" : " entries")
              + ", found "
              + node.items().size());
    }
    for (int i = 0; i < node.items().size(); i++) {
      check(node.items().get(i), item, path.then("[" + i + "]"));
    }
  }

  static boolean hasLeadingKey(Fields fields) {
    return fields.entries().keySet().stream().anyMatch(Grammar.TERMS::containsKey);
  }

  private void term(Json node, TermPath path) {
    if (node instanceof Items items) {
      list(items, new ValueRule.TermRule(), 1, path);
      return;
    }
    Fields fields = (Fields) node;
    List<String> leading =
        fields.entries().keySet().stream().filter(Grammar.TERMS::containsKey).toList();
    if (leading.isEmpty()) {
      List<String> known = List.copyOf(Grammar.TERMS.keySet());
      String hint = "";
      for (String key : fields.entries().keySet()) {
        String nearest = Expected.nearest(key, known);
        hint = hint.isEmpty() && !nearest.isEmpty() ? "; did you mean '" + nearest + "'?" : hint;
      }
      diagnostics.add(
          path,
          node,
          "a term must have one of the keys "
              + String.join(", ", known)
              + ", found "
              + Expected.list(fields.entries().keySet())
              + hint);
      return;
    }
    boolean pureTask = leading.size() == 2 && leading.contains("task") && leading.contains("set");
    if (leading.size() > 1 && !pureTask) {
      diagnostics.add(
          path,
          node,
          "a term must have one leading key, found " + Expected.list(leading) + "; nest them");
      return;
    }
    shape(fields, shapeOf(leading), path);
  }

  private static ObjectRule shapeOf(List<String> leading) {
    String key = leading.contains("task") ? "task" : leading.getFirst();
    ObjectRule shape = Grammar.TERMS.get(key);
    if (shape == null) {
      throw new IllegalStateException("no shape for " + key);
    }
    return shape;
  }

  private void shape(Fields node, ObjectRule shape, TermPath path) {
    List<String> present = new ArrayList<>();
    for (Map.Entry<String, Json> entry : node.entries().entrySet()) {
      String name = entry.getKey();
      ObjectRule.Key key = shape.key(name);
      if (key == null) {
        diagnostics.add(path, new Json.Nothing(node.keyAt(name)), unknown(name, shape));
        continue;
      }
      if (shape.oneOf().contains(name)) {
        present.add(name);
      }
      boolean sequence = name.equals("seq") && shape == Grammar.TERMS.get("seq");
      check(entry.getValue(), key.rule(), sequence ? path : path.then("." + name));
    }
    for (ObjectRule.Key key : shape.keys()) {
      if (key.required() && !node.entries().containsKey(key.name())) {
        diagnostics.add(
            path,
            node,
            "the key '" + key.name() + "' is missing; expected " + Expected.of(key.rule()));
      }
    }
    if (!shape.oneOf().isEmpty() && present.size() != 1) {
      diagnostics.add(
          path,
          node,
          "expected exactly one of the keys "
              + String.join(", ", shape.oneOf())
              + ", found "
              + (present.isEmpty() ? "none" : Expected.list(present)));
    }
  }

  private static String unknown(String key, ObjectRule shape) {
    String nearest = Expected.nearest(key, shape.names());
    String hint =
        nearest.isEmpty()
            ? "; " + shape.name() + " has " + String.join(", ", shape.names())
            : "; did you mean '" + nearest + "'?";
    return "unknown key '" + key + "'" + hint;
  }
}

package dev.damask.rule;

import dev.damask.expression.InvalidExpression;
import dev.damask.json.Json;
import dev.damask.rule.RuleDocument.TypedValue;
import dev.damask.source.DiagnosticCode;
import dev.damask.source.JsonTexts;
import dev.damask.source.Limit;
import dev.damask.source.Reading;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads the parts of rule documents that hold types, values and expressions.
public final class ValueReader {
  private final Reading reading;

  ValueReader(Reading reading) {
    this.reading = reading;
  }

  /// The declared type, or null if it is missing or unknown.
  @Nullable ValueType type(String path, Json.Fields fields) {
    String word = reading.text(path + ".type", fields.get("type"));
    ValueType type = word == null ? null : ValueType.of(word);
    if (type == null) {
      reading.error(DiagnosticCode.TYPE_INVALID, path + ".type", fields, "unknown type: " + word);
    }
    return type;
  }

  /// The default, cast to its type, or null if there is none.
  @Nullable Object fallback(String path, ValueType type, Json.Fields fields) {
    Json json = fields.get("default");
    if (json == null || json instanceof Json.Nothing) {
      return null;
    }
    if (json instanceof Json.Text(var at, var text)) {
      reading.cap(Limit.TEXT_CHARS, text.length(), path + ".default", json);
    }
    try {
      return type.cast(literal(json));
    } catch (ValueType.CastFailed e) {
      reading.error(
          DiagnosticCode.DEFAULT_INVALID, path + ".default", json, String.valueOf(e.getMessage()));
      return null;
    }
  }

  /// A literal without loss: an integer stays an integer until its type is known.
  public static @Nullable Object literal(Json json) {
    if (!(json instanceof Json.Numeral numeral)) {
      return JsonTexts.value(json);
    }
    return numeral.whole().isPresent()
        ? (Object) numeral.whole().getAsLong()
        : new java.math.BigDecimal(numeral.digits());
  }

  /// The field `value` or `expr`, never both; null if neither is present.
  @Nullable Json either(DiagnosticCode code, String path, Json.Fields fields) {
    Json value = fields.get("value");
    Json expression = fields.get("expr");
    if ((value == null) == (expression == null)) {
      reading.error(
          code,
          path,
          fields,
          value == null ? "'value' is missing" : "use either 'value' or 'expr', not both");
      return null;
    }
    return value == null ? expression : value;
  }

  List<TypedValue> typedValues(
      String path, @Nullable Json json, Json.Fields at, @Nullable Limit cap) {
    List<TypedValue> values = new ArrayList<>();
    List<Json> items = reading.items(path, json);
    if (cap != null) {
      reading.cap(cap, items.size(), path, at);
    }
    for (int i = 0; i < items.size(); i++) {
      TypedValue value = typedValue(path + "[" + i + "]", items.get(i));
      if (value != null) {
        values.add(value);
      }
    }
    return values;
  }

  @Nullable TypedValue typedValue(String path, Json json) {
    Json.Fields fields = reading.fields(path, json);
    if (fields == null) {
      return null;
    }
    reading.known(path, fields, "type", "value", "expr", "default");
    ValueType type = type(path, fields);
    Json value = either(DiagnosticCode.TYPED_VALUE_INVALID, path, fields);
    if (value instanceof Json.Text(var at, var text)) {
      mixed(path, text, value);
    }
    return type == null || value == null
        ? null
        : new TypedValue(type, value, fallback(path, type, fields));
  }

  /// Reads a literal, a template or an expression.
  void mixed(String path, String text, Json at) {
    reading.cap(Limit.TEXT_CHARS, text.length(), path, at);
    if (RuleText.classify(text) == RuleText.Form.EXPRESSION) {
      expression(DiagnosticCode.EXPRESSION_INVALID, path, text, at);
    }
    dollars(path, text, at);
  }

  void expression(DiagnosticCode code, String path, String text, Json at) {
    dollars(path, text, at);
    if (!reading.cap(Limit.EXPRESSION_CHARS, text.length(), path, at)
        || !Limit.CEL_BYTES.allows(RuleText.bytes(text))) {
      return; // how many bytes may be evaluated is decided when it is
    }
    try {
      RuleText.compile(text);
    } catch (InvalidExpression e) {
      reading.error(code, path, at, String.valueOf(e.getMessage()));
    }
  }

  /// Reads a string with placeholders and escaped brackets.
  void template(String path, String text, Json at) {
    dollars(path, text, at);
    try {
      RuleTemplate.parse(text, true);
    } catch (IllegalArgumentException e) {
      reading.error(DiagnosticCode.PLACEHOLDER_MALFORMED, path, at, String.valueOf(e.getMessage()));
    }
  }

  private void dollars(String path, String text, Json at) {
    if (text.contains("${")) {
      reading.error(
          DiagnosticCode.DOLLAR_PLACEHOLDER,
          path,
          at,
          "write the placeholder as [name], not ${name}");
    }
  }
}

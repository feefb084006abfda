package dev.damask.document;

import dev.damask.document.DocumentNode.Fields;
import dev.damask.document.DocumentNode.Flag;
import dev.damask.document.DocumentNode.Items;
import dev.damask.document.DocumentNode.Numeral;
import dev.damask.document.DocumentNode.Text;
import dev.damask.expression.Expressions;
import dev.damask.expression.InvalidExpression;
import dev.damask.task.Context;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.Values;
import dev.damask.term.TermPath;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Reads the values of an object whose shape has been checked. What a shape cannot say, such as
/// whether an expression parses, is found here.
final class FieldReader {
  /// No wait needs to be longer.
  private static final Duration DURATION_MAX = Duration.ofDays(36_525);

  private final Findings findings;
  private final Fields fields;
  private final TermPath path;

  FieldReader(Findings findings, Fields fields, TermPath path) {
    this.findings = findings;
    this.fields = fields;
    this.path = path;
  }

  /// Makes something, and turns a refusal into a problem at this place.
  <T> T make(Supplier<T> maker) {
    return make(fields, path, maker);
  }

  <T> T make(DocumentNode node, TermPath place, Supplier<T> maker) {
    try {
      return maker.get();
    } catch (IllegalArgumentException | InvalidExpression e) {
      throw findings.problem(place, node, String.valueOf(e.getMessage()));
    }
  }

  TermPath path() {
    return path;
  }

  Fields fields() {
    return fields;
  }

  Findings findings() {
    return findings;
  }

  DocumentProblem problem(String key, String message) {
    DocumentNode node = fields.fields().get(key);
    return findings.problem(
        node == null ? path : path.then("." + key), node == null ? fields : node, message);
  }

  boolean has(String key) {
    return fields.fields().containsKey(key);
  }

  @Nullable DocumentNode node(String key) {
    return fields.fields().get(key);
  }

  DocumentNode require(String key) {
    return Objects.requireNonNull(fields.fields().get(key), key);
  }

  FieldReader object(String key) {
    return new FieldReader(findings, (Fields) require(key), path.then("." + key));
  }

  /// The reader of a nested object; an empty one when the key is absent.
  FieldReader objectOrEmpty(String key) {
    return has(key) ? object(key) : new FieldReader(findings, Fields.none(fields.at()), path);
  }

  String text(String key, String absent) {
    return switch (node(key)) {
      case Text(var at, var value) -> value;
      case Numeral(var at, var value) -> value.toString();
      case null, default -> absent;
    };
  }

  String text(String key) {
    return text(key, "");
  }

  @Nullable String textOrNull(String key) {
    return has(key) ? text(key) : null;
  }

  boolean flag(String key) {
    return node(key) instanceof Flag(var at, var value) && value;
  }

  int whole(String key, int absent) {
    return node(key) instanceof Numeral(var at, Long value) ? value.intValue() : absent;
  }

  long wholeLong(String key, long absent) {
    return node(key) instanceof Numeral(var at, Long value) ? value : absent;
  }

  double number(String key, double absent) {
    return node(key) instanceof Numeral(var at, var value) ? value.doubleValue() : absent;
  }

  BigDecimal decimal(String key) {
    return node(key) instanceof Numeral(var at, var value)
        ? new BigDecimal(value.toString())
        : BigDecimal.ZERO;
  }

  /// One name or a list of them.
  List<String> names(String key) {
    return switch (node(key)) {
      case Text(var at, var value) -> List.of(value);
      case Items(var at, var items) -> items.stream().map(item -> ((Text) item).value()).toList();
      case null, default -> List.of();
    };
  }

  <T> List<T> list(String key, Function<Entry, T> reader) {
    List<T> list = new ArrayList<>();
    if (node(key) instanceof Items(var at, var items)) {
      for (int i = 0; i < items.size(); i++) {
        list.add(reader.apply(new Entry(items.get(i), path.then("." + key + "[" + i + "]"))));
      }
    }
    return list;
  }

  /// An entry of a list or a map, and its place.
  record Entry(DocumentNode node, TermPath path) {}

  FieldReader object(Entry entry) {
    return new FieldReader(findings, (Fields) entry.node(), entry.path());
  }

  Map<String, Entry> entries(String key) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    if (node(key) instanceof Fields(var at, var nodes, var keys)) {
      nodes.forEach(
          (name, node) -> entries.put(name, new Entry(node, path.then("." + key + "." + name))));
    }
    return entries;
  }

  @Nullable Duration duration(String key) {
    DocumentNode node = node(key);
    return node == null ? null : duration(node, path.then("." + key));
  }

  private Duration duration(DocumentNode node, TermPath place) {
    Duration duration =
        switch (node) {
          case Numeral(var at, var value) -> seconds(new BigDecimal(value.toString()));
          case Text(var at, var value) -> {
            try {
              yield Duration.parse(value);
            } catch (DateTimeException e) {
              throw findings.problem(
                  place,
                  node,
                  "expected "
                      + Expected.of(new ValueRule.Time())
                      + ", found "
                      + Expected.shown(node));
            }
          }
          default -> throw new IllegalStateException("no duration: " + node);
        };
    if (duration.isNegative() || duration.compareTo(DURATION_MAX) > 0) {
      throw findings.problem(
          place, node, "a duration is between 0 and 100 years, found " + Expected.shown(node));
    }
    return duration;
  }

  private static Duration seconds(BigDecimal value) {
    BigDecimal bound = BigDecimal.valueOf(DURATION_MAX.toSeconds() + 1);
    return Duration.ofNanos(value.min(bound).max(bound.negate()).movePointRight(9).longValue());
  }

  @Nullable Expression expressionOrNull(String key) {
    return has(key) ? expression(key) : null;
  }

  Expression expression(String key) {
    return expression(new Entry(require(key), path.then("." + key)));
  }

  Expression expression(Entry entry) {
    return entry.node() instanceof Text(var at, var text)
        ? make(entry.node(), entry.path(), () -> Expressions.expression(text))
        : Expression.constant(value(entry.node()));
  }

  Guard guard(String key) {
    DocumentNode node = require(key);
    TermPath place = path.then("." + key);
    return switch (node) {
      case Text(var at, var text) -> make(node, place, () -> Expressions.guard(text));
      case Flag(var at, var value) -> Guard.named(String.valueOf(value), context -> value);
      default ->
          throw findings.problem(
              place, node, "expected a condition, found " + Expected.shown(node));
    };
  }

  SortedMap<String, Expression> expressions(String key) {
    SortedMap<String, Expression> expressions = new TreeMap<>();
    entries(key).forEach((name, entry) -> expressions.put(name.intern(), expression(entry)));
    return expressions;
  }

  Context context(String key) {
    DocumentNode node = node(key);
    return node == null
        ? Context.empty()
        : make(node, path.then("." + key), () -> Context.from(map((Fields) node)));
  }

  static Map<String, @Nullable Object> map(Fields fields) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    fields.fields().forEach((key, node) -> map.put(key, value(node)));
    return map;
  }

  /// A node as a value of a context.
  static @Nullable Object value(DocumentNode node) {
    return switch (node) {
      case Text(var at, var value) -> value;
      case Numeral(var at, var value) -> Values.of(value);
      case Flag(var at, var value) -> value;
      case DocumentNode.Empty empty -> null;
      case Items(var at, var items) -> {
        List<@Nullable Object> list = new ArrayList<>(items.size());
        items.forEach(item -> list.add(value(item)));
        yield list;
      }
      case Fields inner -> map(inner);
    };
  }
}

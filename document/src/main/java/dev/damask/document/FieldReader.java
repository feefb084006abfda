package dev.damask.document;

import dev.damask.expression.Expressions;
import dev.damask.expression.InvalidExpression;
import dev.damask.json.Json;
import dev.damask.json.Json.Fields;
import dev.damask.json.Json.Flag;
import dev.damask.json.Json.Items;
import dev.damask.json.Json.Numeral;
import dev.damask.json.Json.Text;
import dev.damask.json.Position;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.term.TermPath;
import dev.damask.value.Context;
import dev.damask.value.Values;
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

/// Reads the values of an object whose shape has been checked, and reports the errors that a shape
/// cannot describe, such as an expression that does not parse. Its public methods are for readers
/// of documents in other modules of the project.
public final class FieldReader {
  /// The maximum duration.
  private static final Duration DURATION_MAX = Duration.ofDays(36_525);

  private final Diagnostics diagnostics;
  private final Fields fields;
  private final TermPath path;

  FieldReader(Diagnostics diagnostics, Fields fields, TermPath path) {
    this.diagnostics = diagnostics;
    this.fields = fields;
    this.path = path;
  }

  /// Checks that a document has the shape of a scenario and returns a reader of its fields. Throws
  /// [DocumentProblem] with all errors.
  public static FieldReader ofScenario(DocumentSource source) {
    if (source.root() instanceof Fields fields
        && fields.get("scenario") == null
        && fields.get("do") != null) {
      throw DocumentTree.problem(
          source.name(), "a workflow, not a scenario; 'damask run' runs workflows");
    }
    Diagnostics diagnostics = new Diagnostics(source.name());
    new GrammarCheck(diagnostics)
        .check(source.root(), new ValueRule.Shaped(Grammar.SCENARIO), DocumentReader.ROOT);
    diagnostics.throwIfAny();
    return new FieldReader(diagnostics, (Fields) source.root(), DocumentReader.ROOT);
  }

  /// Checks that a document is a list of events and returns a reader of each event's fields. Throws
  /// [DocumentProblem] with all errors.
  public static List<FieldReader> ofEvents(DocumentSource source) {
    Diagnostics diagnostics = new Diagnostics(source.name());
    new GrammarCheck(diagnostics).check(source.root(), Grammar.EVENTS, DocumentReader.ROOT);
    diagnostics.throwIfAny();
    List<FieldReader> events = new ArrayList<>();
    for (Json item : ((Items) source.root()).items()) {
      TermPath path = new TermPath(null, "[" + events.size() + "]");
      events.add(new FieldReader(diagnostics, (Fields) item, path));
    }
    return events;
  }

  /// Creates a value and converts an `IllegalArgumentException` to a problem at this place.
  <T> T make(Supplier<T> maker) {
    return make(fields, path, maker);
  }

  <T> T make(Json node, TermPath place, Supplier<T> maker) {
    try {
      return maker.get();
    } catch (IllegalArgumentException | InvalidExpression e) {
      throw diagnostics.problem(place, node, String.valueOf(e.getMessage()));
    }
  }

  TermPath path() {
    return path;
  }

  Fields fields() {
    return fields;
  }

  Diagnostics diagnostics() {
    return diagnostics;
  }

  /// Returns the start of a string as messages quote it.
  public static String excerpt(String text) {
    return Expected.cut(text);
  }

  /// Returns the position of the object in its document.
  public Position position() {
    return fields.at();
  }

  /// Returns the problem to throw for an entry of a list or map.
  public DocumentProblem problem(Entry entry, String message) {
    return diagnostics.problem(entry.path(), entry.node(), message);
  }

  /// Returns the problem to throw for the value of a key.
  public DocumentProblem problem(String key, String message) {
    Json node = fields.entries().get(key);
    return diagnostics.problem(
        node == null ? path : path.then("." + key), node == null ? fields : node, message);
  }

  /// Returns whether the object has the key.
  public boolean has(String key) {
    return fields.entries().containsKey(key);
  }

  /// Returns the value of a key, or null if the object does not have the key.
  public @Nullable Json node(String key) {
    return fields.entries().get(key);
  }

  Json require(String key) {
    return Objects.requireNonNull(fields.entries().get(key), key);
  }

  FieldReader object(String key) {
    return new FieldReader(diagnostics, (Fields) require(key), path.then("." + key));
  }

  /// Returns the reader of a nested object, or an empty one if the key is absent.
  public FieldReader objectOrEmpty(String key) {
    return has(key)
        ? object(key)
        : new FieldReader(diagnostics, new Fields(fields.at(), Map.of()), path);
  }

  /// Returns the text or number of a key as a string, or `absent` if it is neither.
  public String text(String key, String absent) {
    return switch (node(key)) {
      case Text(var at, var value) -> value;
      case Numeral numeral -> numeral.number().toString();
      case null, default -> absent;
    };
  }

  /// Returns the text or number of a key as a string, or an empty string if it is neither.
  public String text(String key) {
    return text(key, "");
  }

  /// Returns the text of a key, or null if the object does not have the key.
  public @Nullable String textOrNull(String key) {
    return has(key) ? text(key) : null;
  }

  boolean flag(String key) {
    return node(key) instanceof Flag(var at, var value) && value;
  }

  int whole(String key, int absent) {
    return (int) wholeLong(key, absent);
  }

  long wholeLong(String key, long absent) {
    return node(key) instanceof Numeral numeral ? numeral.whole().orElse(absent) : absent;
  }

  double number(String key, double absent) {
    return node(key) instanceof Numeral numeral ? numeral.number().doubleValue() : absent;
  }

  BigDecimal decimal(String key) {
    return node(key) instanceof Numeral numeral
        ? new BigDecimal(numeral.number().toString())
        : BigDecimal.ZERO;
  }

  /// Returns one name or a list of names as a list.
  public List<String> names(String key) {
    return switch (node(key)) {
      case Text(var at, var value) -> List.of(value);
      case Items(var at, var items) -> items.stream().map(item -> ((Text) item).value()).toList();
      case null, default -> List.of();
    };
  }

  /// Reads every item of a list; an absent key has no items.
  public <T> List<T> list(String key, Function<Entry, T> reader) {
    List<T> list = new ArrayList<>();
    if (node(key) instanceof Items(var at, var items)) {
      for (int i = 0; i < items.size(); i++) {
        list.add(reader.apply(new Entry(items.get(i), path.then("." + key + "[" + i + "]"))));
      }
    }
    return list;
  }

  /// An entry of a list or a map, with its path.
  public record Entry(Json node, TermPath path) {}

  /// Returns the reader of an entry that is an object.
  public FieldReader object(Entry entry) {
    return new FieldReader(diagnostics, (Fields) entry.node(), entry.path());
  }

  /// Returns the entries of a map by name; an absent key has none.
  public Map<String, Entry> entries(String key) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    if (node(key) instanceof Fields(var at, var nodes, var keys)) {
      nodes.forEach(
          (name, node) -> entries.put(name, new Entry(node, path.then("." + key + "." + name))));
    }
    return entries;
  }

  /// Returns the duration of a key, or null if the object does not have the key.
  public @Nullable Duration duration(String key) {
    Json node = node(key);
    return node == null ? null : duration(node, path.then("." + key));
  }

  private Duration duration(Json node, TermPath place) {
    Duration duration =
        switch (node) {
          case Numeral numeral -> seconds(new BigDecimal(numeral.number().toString()));
          case Text(var at, var value) -> {
            try {
              yield Duration.parse(value);
            } catch (DateTimeException e) {
              throw diagnostics.problem(
                  place,
                  node,
                  "expected "
                      + Expected.of(new ValueRule.Time())
                      + ", found "
                      + Expected.shown(node));
            }
          }
          default -> throw new IllegalStateException("not a duration: " + node);
        };
    if (duration.isNegative() || duration.compareTo(DURATION_MAX) > 0) {
      throw diagnostics.problem(
          place, node, "a duration must be between 0 and 100 years, got " + Expected.shown(node));
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
    Json node = require(key);
    TermPath place = path.then("." + key);
    return switch (node) {
      case Text(var at, var text) -> make(node, place, () -> Expressions.guard(text));
      case Flag(var at, var value) -> Guard.named(String.valueOf(value), context -> value);
      default ->
          throw diagnostics.problem(
              place, node, "expected a condition, found " + Expected.shown(node));
    };
  }

  SortedMap<String, Expression> expressions(String key) {
    SortedMap<String, Expression> expressions = new TreeMap<>();
    entries(key).forEach((name, entry) -> expressions.put(name.intern(), expression(entry)));
    return expressions;
  }

  /// Returns the object of a key as a context, which is empty if the key is absent.
  public Context context(String key) {
    Json node = node(key);
    return node == null
        ? Context.empty()
        : make(node, path.then("." + key), () -> Context.from(map((Fields) node)));
  }

  static Map<String, @Nullable Object> map(Fields fields) {
    return fields.plainEntries(FieldReader::number);
  }

  /// Returns a node as a context value.
  public static @Nullable Object value(Json node) {
    return node.plain(FieldReader::number);
  }

  private static Object number(Numeral numeral) {
    return Objects.requireNonNull(Values.of(numeral.number()));
  }
}

package dev.damask.document;

import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.Position;
import dev.damask.json.TreeBuilder;
import java.math.BigInteger;
import java.util.Iterator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/// Reads a YAML text into a tree. It follows the core schema of YAML 1.2 without anchors, aliases
/// and tags, because they separate a value from the place where it is used.
final class YamlTree {
  private static final String TEXT_TAG = "tag:yaml.org,2002:str";

  /// The buffer size. It is large, so that the parser does not shift its window repeatedly for a
  /// long string.
  private static final int BUFFER_CHARACTERS = 16 * 1_024;

  /// A decimal number: sign, digits without leading zeros, fraction, exponent.
  private static final Pattern DECIMAL =
      Pattern.compile("[-+]?(?=\\.?[0-9])0*+([0-9]*+)(?:\\.([0-9]*+))?((?:[eE][-+]?[0-9]++)?)");

  private final TreeBuilder builder;

  private YamlTree(TreeBuilder builder) {
    this.builder = builder;
  }

  static Json read(String text, TreeBuilder builder, JsonLimits limits) {
    LoadSettings settings =
        LoadSettings.builder()
            .setCodePointLimit(limits.documentBytes() + 1)
            .setBufferSize(BUFFER_CHARACTERS)
            .build();
    YamlTree tree = new YamlTree(builder);
    BoundedReader reader = new BoundedReader(text, limits);
    Position last = Position.START;
    int documents = 0;
    try {
      Iterator<Event> events = new ParserImpl(settings, new StreamReader(settings, reader));
      while (events.hasNext()) {
        Event event = events.next();
        last = position(event.getStartMark());
        reader.restart();
        documents += event.getEventId() == Event.ID.DocumentStart ? 1 : 0;
        if (documents > 1) {
          throw builder.problem(last, "a file must contain one document, found a second one");
        }
        tree.feed(event, last);
      }
    } catch (BoundedReader.TooLong e) {
      int digits = limits.numberDigits();
      throw builder.problem(
          last,
          reader.isInNumber(digits)
              ? "a number must have at most " + digits + " digits; a longer one follows"
              : "more than " + reader.max() + " characters follow without a value");
    } catch (MarkedYamlEngineException e) {
      String problem = String.valueOf(e.getProblem()).lines().findFirst().orElse("");
      throw builder.problem(position(e.getProblemMark()), "not valid YAML: " + problem);
    } catch (YamlEngineException e) {
      String problem = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw builder.problem(last, "not valid YAML: " + problem);
    } catch (
        NumberFormatException e) { // thrown by the library for a string that ends within an escape
      throw builder.problem(last, "not valid YAML: incomplete escape sequence at the end");
    }
    return builder.root(last);
  }

  private void feed(Event event, Position at) {
    if (event instanceof AliasEvent
        || (event instanceof NodeEvent node && node.getAnchor().isPresent())) {
      throw builder.problem(at, "anchors and aliases are not allowed; write the value out");
    }
    switch (event) {
      case CollectionStartEvent start -> {
        if (builder.expectsKey()) {
          throw builder.problem(at, "a key must be a string, found a list or an object");
        }
        requireNoTag(start.getTag(), at);
        builder.begin(at, start.getEventId() == Event.ID.SequenceStart);
      }
      case CollectionEndEvent end -> builder.end();
      case ScalarEvent scalar -> scalar(scalar, at);
      default -> {}
    }
  }

  private void requireNoTag(Optional<String> tag, Position at) {
    if (tag.isPresent()) {
      throw builder.problem(at, "tags are not allowed, found " + tag.get());
    }
  }

  private void scalar(ScalarEvent scalar, Position at) {
    String value = scalar.getValue();
    boolean text = scalar.getTag().map(TEXT_TAG::equals).orElse(!scalar.isPlain());
    if (!text) {
      requireNoTag(scalar.getTag(), at);
    }
    Plain plain = text ? Plain.TEXT : plain(value);
    if (builder.expectsKey()) {
      if (plain != Plain.TEXT) {
        throw builder.problem(at, "a key must be a string; write \"" + value + "\" in quotes");
      }
      builder.key(at, value);
      return;
    }
    switch (plain) {
      case TEXT -> builder.text(at, value);
      case NULL -> builder.none(at);
      case TRUE, FALSE -> builder.flag(at, plain == Plain.TRUE);
      case DECIMAL -> builder.number(at, asInJson(value));
      case OTHER_BASE -> builder.number(at, decimal(value));
      case NOT_FINITE -> throw builder.problem(at, "a number must be finite, got " + value);
    }
  }

  /// The kinds of an unquoted scalar.
  private enum Plain {
    TEXT,
    NULL,
    TRUE,
    FALSE,
    DECIMAL,
    OTHER_BASE,
    NOT_FINITE
  }

  private static Plain plain(String value) {
    return switch (value) {
      case "", "~", "null", "Null", "NULL" -> Plain.NULL;
      case "true", "True", "TRUE" -> Plain.TRUE;
      case "false", "False", "FALSE" -> Plain.FALSE;
      case ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "-.inf" -> Plain.NOT_FINITE;
      default ->
          isOtherBase(value) ? Plain.OTHER_BASE : isDecimal(value) ? Plain.DECIMAL : Plain.TEXT;
    };
  }

  private static boolean isOtherBase(String value) {
    int radix = value.startsWith("0x") ? 16 : value.startsWith("0o") ? 8 : 0;
    return radix != 0
        && value.length() > 2
        && value.length() < 100
        && value.chars().skip(2).allMatch(c -> c < 128 && Character.digit(c, radix) >= 0);
  }

  private static String decimal(String value) {
    return new BigInteger(value.substring(2), value.startsWith("0x") ? 16 : 8).toString();
  }

  private static boolean isDecimal(String value) {
    return DECIMAL.matcher(value).matches();
  }

  /// Returns the digits in JSON syntax: without a plus, with a digit on each side of the point.
  private static String asInJson(String value) {
    Matcher parts = DECIMAL.matcher(value);
    if (!parts.matches()) {
      throw new IllegalArgumentException("not a decimal: " + value);
    }
    String fraction = parts.group(2);
    return (value.startsWith("-") ? "-" : "")
        + (parts.group(1).isEmpty() ? "0" : parts.group(1))
        + (fraction == null ? "" : fraction.isEmpty() ? ".0" : "." + fraction)
        + parts.group(3);
  }

  private static Position position(Optional<Mark> mark) {
    @Nullable Mark known = mark.orElse(null);
    return known == null
        ? Position.START
        : new Position(known.getLine() + 1, known.getColumn() + 1);
  }
}

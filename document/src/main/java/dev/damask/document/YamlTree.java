package dev.damask.document;

import java.math.BigInteger;
import java.util.Iterator;
import java.util.Optional;
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

/// Reads a YAML text into a tree. It follows the core schema of YAML 1.2, without anchors, aliases
/// and tags: a document says what it means where it means it.
final class YamlTree {
  private static final String TEXT_TAG = "tag:yaml.org,2002:str";

  /// Large enough that a long text does not make the parser move its window again and again.
  private static final int BUFFER_CHARACTERS = 16 * 1_024;

  private final TreeBuilder builder;

  private YamlTree(TreeBuilder builder) {
    this.builder = builder;
  }

  static DocumentNode read(String text, TreeBuilder builder, DocumentLimits limits) {
    LoadSettings settings =
        LoadSettings.builder()
            .setCodePointLimit(limits.documentBytes() + 1)
            .setBufferSize(BUFFER_CHARACTERS)
            .build();
    YamlTree tree = new YamlTree(builder);
    BoundedReader reader = new BoundedReader(text, limits);
    Position last = new Position(1, 1);
    int documents = 0;
    try {
      Iterator<Event> events = new ParserImpl(settings, new StreamReader(settings, reader));
      while (events.hasNext()) {
        Event event = events.next();
        last = position(event.getStartMark());
        reader.restart();
        documents += event.getEventId() == Event.ID.DocumentStart ? 1 : 0;
        if (documents > 1) {
          throw builder.problem(last, "a file holds one document, found a second one");
        }
        tree.feed(event, last);
      }
    } catch (BoundedReader.TooLong e) {
      int digits = limits.numberDigits();
      throw builder.problem(
          last,
          reader.isInNumber(digits)
              ? "a number has at most " + digits + " digits; a longer one follows"
              : "more than " + reader.max() + " characters follow without a value");
    } catch (MarkedYamlEngineException e) {
      String problem = String.valueOf(e.getProblem()).lines().findFirst().orElse("");
      throw builder.problem(position(e.getProblemMark()), "not YAML: " + problem);
    } catch (YamlEngineException e) {
      String problem = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw builder.problem(last, "not YAML: " + problem);
    } catch (NumberFormatException e) { // the library's word for a text that ends within an escape
      throw builder.problem(last, "not YAML: a text ends in the middle of an escape");
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
          throw builder.problem(at, "a key is text, found a list or an object");
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
        throw builder.problem(at, "a key is text; write \"" + value + "\" in quotes");
      }
      builder.key(at, value);
      return;
    }
    switch (plain) {
      case TEXT -> builder.text(at, value);
      case NULL -> builder.none(at);
      case TRUE, FALSE -> builder.flag(at, plain == Plain.TRUE);
      case DECIMAL -> builder.number(at, value);
      case OTHER_BASE -> builder.number(at, decimal(value));
      case NOT_FINITE -> throw builder.problem(at, "a number is finite, found " + value);
    }
  }

  /// What a scalar without quotes stands for.
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

  /// Sign, digits with an optional point, exponent.
  private static boolean isDecimal(String value) {
    int at = value.startsWith("-") || value.startsWith("+") ? 1 : 0;
    int before = digits(value, at);
    int after = 0;
    at += before;
    if (at < value.length() && value.charAt(at) == '.') {
      after = digits(value, at + 1);
      at += 1 + after;
    }
    if (before + after == 0) {
      return false;
    }
    if (at < value.length() && (value.charAt(at) == 'e' || value.charAt(at) == 'E')) {
      at++;
      if (at < value.length() && (value.charAt(at) == '-' || value.charAt(at) == '+')) {
        at++;
      }
      int exponent = digits(value, at);
      if (exponent == 0) {
        return false;
      }
      at += exponent;
    }
    return at == value.length();
  }

  private static int digits(String value, int from) {
    int at = from;
    while (at < value.length() && value.charAt(at) >= '0' && value.charAt(at) <= '9') {
      at++;
    }
    return at - from;
  }

  private static Position position(Optional<Mark> mark) {
    @Nullable Mark known = mark.orElse(null);
    return known == null
        ? new Position(1, 1)
        : new Position(known.getLine() + 1, known.getColumn() + 1);
  }
}

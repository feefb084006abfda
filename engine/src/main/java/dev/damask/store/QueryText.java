package dev.damask.store;

import dev.damask.attribute.Match;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// Reads queries written as text, such as `customer = 'acme' and price > 100 and status = waiting`.
///
/// A query is one or more conditions joined by `and`. The words `status`, `workflow`, `started` and
/// `waitingFor` stand for properties of a case, every other word for an attribute. The operators
/// are `=`, `<`, `<=`, `>`, `>=` and `starts with`. A value is a string in single quotes, a number,
/// `true`, `false`, or a time such as `2026-11-15T10:00:00Z`. Statuses, workflows and what a case
/// waits for may be written without quotes. Case does not matter in `and`, `starts with`, `status`
/// and its like.
public final class QueryText {
  private final String text;
  private final List<QueryToken> tokens;
  private int at;
  private CaseQuery query = CaseQuery.ALL;

  private QueryText(String text) {
    this.text = text;
    this.tokens = QueryToken.of(text);
  }

  /// Thrown if a string is not a query. The message has the column, what was expected and what is
  /// there.
  public static final class InvalidQuery extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final int column;

    InvalidQuery(int column, String sentence) {
      super("column " + column + ": " + sentence);
      this.column = column;
    }

    /// The column, from 1.
    public int column() {
      return column;
    }
  }

  /// Returns the query of a string. Throws [InvalidQuery].
  public static CaseQuery parse(String text) {
    return new QueryText(text).read();
  }

  private CaseQuery read() {
    condition();
    while (!isAtEnd()) {
      if (!isWord("and")) {
        throw expected("'and'");
      }
      at++;
      condition();
    }
    return query;
  }

  private boolean isAtEnd() {
    return at == tokens.size();
  }

  private boolean isWord(String word) {
    return !isAtEnd()
        && tokens.get(at).kind() == QueryToken.Kind.WORD
        && tokens.get(at).text().equalsIgnoreCase(word);
  }

  private InvalidQuery expected(String what) {
    return isAtEnd()
        ? new InvalidQuery(text.length() + 1, "expected " + what + ", found the end")
        : new InvalidQuery(
            tokens.get(at).column(), "expected " + what + ", found " + tokens.get(at).shown());
  }

  private InvalidQuery wrong(QueryToken where, String sentence) {
    return new InvalidQuery(where.column(), sentence);
  }

  private void condition() {
    if (isAtEnd() || tokens.get(at).kind() != QueryToken.Kind.WORD || isWord("and")) {
      throw expected("an attribute, 'status', 'workflow', 'started' or 'waitingFor'");
    }
    QueryToken name = tokens.get(at++);
    switch (name.text().toLowerCase(Locale.ROOT)) {
      case "status" -> status(name);
      case "workflow" -> workflow(name);
      case "waitingfor" -> {
        equality(name);
        query = query.waitingFor(named("a task or place"));
      }
      case "started" -> started();
      default -> attribute(name);
    }
  }

  private void equality(QueryToken name) {
    if (isAtEnd() || !tokens.get(at).isSymbol("=")) {
      throw expected("'=' after '" + name.text() + "'");
    }
    at++;
  }

  private String named(String what) {
    if (isAtEnd() || !tokens.get(at).isName()) {
      throw expected(what);
    }
    return tokens.get(at++).text();
  }

  private void status(QueryToken name) {
    equality(name);
    String known =
        Arrays.stream(CaseStatus.values())
            .map(each -> each.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));
    QueryToken word = isAtEnd() ? null : tokens.get(at);
    if (word == null || !word.isName()) {
      throw expected("a status");
    }
    at++;
    CaseStatus wanted =
        Arrays.stream(CaseStatus.values())
            .filter(each -> each.name().equalsIgnoreCase(word.text()))
            .findFirst()
            .orElseThrow(
                () -> wrong(word, "no status '" + word.text() + "'; a status is one of " + known));
    if (query.status() != null && query.status() != wanted) {
      throw wrong(word, "a case has one status; '" + name.text() + "' was given before");
    }
    query = query.withStatus(wanted);
  }

  private void workflow(QueryToken name) {
    equality(name);
    QueryToken where = isAtEnd() ? name : tokens.get(at);
    String wanted = named("a workflow");
    if (query.workflow() != null && !query.workflow().equals(wanted)) {
      throw wrong(where, "a case has one workflow; '" + query.workflow() + "' was given before");
    }
    query = query.withWorkflow(wanted);
  }

  private void started() {
    QueryToken operator = operator();
    QueryToken value = isAtEnd() ? null : tokens.get(at);
    if (value == null || !(value.kind() == QueryToken.Kind.TEXT || value.isLiteral())) {
      throw expected("a time such as 2026-11-15T10:00:00Z");
    }
    at++;
    long millis;
    try {
      millis = OffsetDateTime.parse(value.text()).toInstant().toEpochMilli();
    } catch (DateTimeException | ArithmeticException e) {
      throw wrong(value, "expected a time such as 2026-11-15T10:00:00Z, found " + value.shown());
    }
    long from = query.fromMillis();
    long until = query.untilMillis();
    switch (operator.text()) {
      case ">" -> from = Math.max(from, millis + 1);
      case ">=" -> from = Math.max(from, millis);
      case "<" -> until = Math.min(until, millis);
      case "<=" -> until = Math.min(until, millis + 1);
      case "=" -> {
        from = Math.max(from, millis);
        until = Math.min(until, millis + 1);
      }
      default -> throw wrong(operator, "'started' is compared with =, <, <=, > or >=");
    }
    query = query.withStarted(from, until);
  }

  /// An operator; `starts with` is one.
  private QueryToken operator() {
    if (isWord("starts")) {
      QueryToken first = tokens.get(at++);
      if (!isWord("with")) {
        throw expected("'with' after 'starts'");
      }
      at++;
      return new QueryToken(QueryToken.Kind.WORD, "starts with", first.column());
    }
    if (isAtEnd() || tokens.get(at).kind() != QueryToken.Kind.SYMBOL) {
      throw expected("=, <, <=, >, >= or 'starts with'");
    }
    return tokens.get(at++);
  }

  private void attribute(QueryToken name) {
    QueryToken operator = operator();
    QueryToken where = isAtEnd() ? operator : tokens.get(at);
    Object value = value();
    try {
      query =
          query.and(
              name.text(),
              switch (operator.text()) {
                case "=" -> Match.is(value);
                case "<" -> Match.below(value);
                case "<=" -> Match.atMost(value);
                case ">" -> Match.above(value);
                case ">=" -> Match.atLeast(value);
                default -> {
                  if (!(value instanceof String prefix)) {
                    throw new IllegalArgumentException("'starts with' needs a string in quotes");
                  }
                  yield Match.startsWith(prefix);
                }
              });
    } catch (InvalidQuery e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw wrong(where, String.valueOf(e.getMessage()));
    }
  }

  private Object value() {
    if (isAtEnd()) {
      throw expected("a value");
    }
    QueryToken value = tokens.get(at);
    return switch (value.kind()) {
      case TEXT -> {
        at++;
        yield value.text();
      }
      case LITERAL -> {
        at++;
        yield literal(value);
      }
      case WORD -> {
        if (isWord("true") || isWord("false")) {
          at++;
          yield Boolean.valueOf(value.text().toLowerCase(Locale.ROOT));
        }
        if (isWord("and")) {
          throw expected("a value");
        }
        throw wrong(
            value,
            "expected a value, found '"
                + value.text()
                + "'; write '"
                + value.text()
                + "' in single quotes if it is a string");
      }
      case SYMBOL -> throw expected("a value");
    };
  }

  private Object literal(QueryToken value) {
    try {
      return value.text().indexOf('T') > 0 ? time(value.text()) : new BigDecimal(value.text());
    } catch (DateTimeException | NumberFormatException e) {
      throw wrong(
          value,
          "expected a number or a time such as 2026-11-15T10:00:00Z, found '"
              + value.text()
              + "'; write a string in single quotes");
    }
  }

  private static Instant time(String text) {
    return OffsetDateTime.parse(text).toInstant();
  }
}

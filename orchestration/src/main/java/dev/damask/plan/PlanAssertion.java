package dev.damask.plan;

import dev.damask.expression.Expressions;
import dev.damask.json.JsonWriter;
import dev.damask.rule.RuleTemplate;
import dev.damask.step.StepScope;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An assertion of a plan about one value.
///
/// @param key the name of the value
/// @param value the expected value; null for `exists` and `missing`
record PlanAssertion(String key, Operator operator, @Nullable Object value) {
  /// The comparison. Numbers are compared by value, whatever their types.
  enum Operator {
    EQ("eq"),
    NE("ne"),
    EXISTS("exists"),
    MISSING("missing"),
    GT("gt"),
    GE("ge"),
    LT("lt"),
    LE("le"),
    CONTAINS("contains"),
    NOT_CONTAINS("notContains"),
    STARTS_WITH("startsWith"),
    ENDS_WITH("endsWith"),
    REGEX("regex");

    private final String word;

    Operator(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }

    boolean needsValue() {
      return this != EXISTS && this != MISSING;
    }
  }

  boolean holds(@Nullable Object found) {
    return switch (operator) {
      case EQ -> same(found, value);
      case NE -> !same(found, value);
      case EXISTS -> found != null;
      case MISSING -> found == null;
      case GT -> compare(found, value, 1, 1);
      case GE -> compare(found, value, 0, 1);
      case LT -> compare(found, value, -1, -1);
      case LE -> compare(found, value, -1, 0);
      case CONTAINS -> contains(found, value);
      case NOT_CONTAINS -> !contains(found, value);
      case STARTS_WITH -> text(found).startsWith(text(value));
      case ENDS_WITH -> text(found).endsWith(text(value));
      case REGEX -> Expressions.pattern(text(value)).test(text(found));
    };
  }

  private static boolean same(@Nullable Object found, @Nullable Object wanted) {
    if (found instanceof Number || wanted instanceof Number) {
      BigDecimal one = number(found);
      BigDecimal other = number(wanted);
      if (one != null && other != null) {
        return one.compareTo(other) == 0;
      }
    }
    return JsonWriter.canonical(StepScope.untyped(found))
        .equals(JsonWriter.canonical(StepScope.untyped(wanted)));
  }

  private static boolean compare(
      @Nullable Object found, @Nullable Object wanted, int least, int most) {
    BigDecimal one = number(found);
    BigDecimal other = number(wanted);
    if (one == null || other == null) {
      return false;
    }
    int sign = Integer.signum(one.compareTo(other));
    return sign >= least && sign <= most;
  }

  /// The value of a number or of a string of digits, such as a uint256; null for anything else.
  private static @Nullable BigDecimal number(@Nullable Object value) {
    try {
      return switch (value) {
        case Long whole -> BigDecimal.valueOf(whole);
        case Double real when !real.isNaN() && !real.isInfinite() -> BigDecimal.valueOf(real);
        case BigDecimal decimal -> decimal;
        case String text when text.length() <= 100 -> new BigDecimal(text);
        case null, default -> null;
      };
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static boolean contains(@Nullable Object found, @Nullable Object wanted) {
    return switch (found) {
      case List<?> items -> items.stream().anyMatch(item -> same(item, wanted));
      case Map<?, ?> entries -> entries.containsKey(text(wanted));
      case null -> false;
      default -> text(found).contains(text(wanted));
    };
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : RuleTemplate.text(value);
  }

  @Override
  public String toString() {
    return key
        + " "
        + operator.word()
        + (operator.needsValue() ? " " + JsonWriter.canonical(value) : "");
  }
}

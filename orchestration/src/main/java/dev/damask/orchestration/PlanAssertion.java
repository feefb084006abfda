package dev.damask.orchestration;

import dev.damask.document.CanonicalJson;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Something a plan says about one value.
///
/// @param key the name of the value
/// @param value what it is compared with; null for `exists` and `missing`
record PlanAssertion(String key, Operator operator, @Nullable Object value) {
  /// How a value is compared. Numbers are compared by what they are worth, whatever their type.
  enum Operator {
    EQ("eq", PlanAssertion::same),
    NE("ne", (found, wanted) -> !same(found, wanted)),
    EXISTS("exists", (found, wanted) -> found != null),
    MISSING("missing", (found, wanted) -> found == null),
    GT("gt", (found, wanted) -> compare(found, wanted, 1, 1)),
    GE("ge", (found, wanted) -> compare(found, wanted, 0, 1)),
    LT("lt", (found, wanted) -> compare(found, wanted, -1, -1)),
    LE("le", (found, wanted) -> compare(found, wanted, -1, 0)),
    CONTAINS("contains", PlanAssertion::contains),
    NOT_CONTAINS("notContains", (found, wanted) -> !contains(found, wanted)),
    STARTS_WITH("startsWith", (found, wanted) -> text(found).startsWith(text(wanted))),
    ENDS_WITH("endsWith", (found, wanted) -> text(found).endsWith(text(wanted))),
    REGEX("regex", (found, wanted) -> Pattern.compile(text(wanted)).matcher(text(found)).find());

    private final String word;
    private final BiPredicate<@Nullable Object, @Nullable Object> test;

    Operator(String word, BiPredicate<@Nullable Object, @Nullable Object> test) {
      this.word = word;
      this.test = test;
    }

    String word() {
      return word;
    }

    boolean needsValue() {
      return this != EXISTS && this != MISSING;
    }
  }

  boolean holds(@Nullable Object found) {
    return operator.test.test(found, value);
  }

  private static boolean same(@Nullable Object found, @Nullable Object wanted) {
    if (found instanceof Number one && wanted instanceof Number other) {
      return Double.compare(one.doubleValue(), other.doubleValue()) == 0;
    }
    return CanonicalJson.text(StepScope.untyped(found))
        .equals(CanonicalJson.text(StepScope.untyped(wanted)));
  }

  private static boolean compare(
      @Nullable Object found, @Nullable Object wanted, int least, int most) {
    if (!(found instanceof Number one) || !(wanted instanceof Number other)) {
      return false;
    }
    int sign = Double.compare(one.doubleValue(), other.doubleValue());
    return sign >= least && sign <= most;
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
        + (operator.needsValue() ? " " + CanonicalJson.text(value) : "");
  }
}

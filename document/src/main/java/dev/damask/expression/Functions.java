package dev.damask.expression;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The functions of a front end that its expressions may call in addition to those of the language.
/// They must be pure. They receive integers as long and other values as a context holds them.
public final class Functions {
  /// No additional functions.
  public static final Functions NONE = new Functions(Map.of());

  private final Map<String, Function> table;

  /// Creates a set of functions by name.
  public Functions(Map<String, Function> table) {
    this.table = Collections.unmodifiableMap(new TreeMap<>(table));
  }

  /// One function. An `IllegalArgumentException` that it throws fails the evaluation.
  ///
  /// @param least the minimum number of arguments
  /// @param most the maximum number of arguments
  public record Function(int least, int most, Body body) {}

  /// The code of a function.
  @FunctionalInterface
  public interface Body {
    /// Computes the result from the arguments. Throws `IllegalArgumentException` if they do not
    /// fit. The caller has charged for reading the arguments once; the function charges for what it
    /// does beyond that, before it does it.
    @Nullable Object apply(List<@Nullable Object> values, Meter meter);
  }

  /// Counts what a function does against the limit of the evaluation that calls it, which is
  /// [Work#MAX]. One part is a comparison of two scalar values or of 16 characters, or up to ten
  /// nanoseconds of other work. Each method throws `IllegalArgumentException` if the limit is
  /// exceeded; the function must not catch it.
  public interface Meter {
    /// Charges for a number of parts.
    void charge(long parts);

    /// Charges for reading a value with all its parts a number of times.
    void read(@Nullable Object value, long times);

    /// Charges for the text of a value.
    void write(@Nullable Object value);

    /// Charges for a regular expression and returns whether a text contains a match. The time is
    /// proportional to the sizes of both. Throws `IllegalArgumentException` if the pattern is
    /// malformed or too large.
    boolean matches(String text, String pattern);
  }

  Map<String, Function> table() {
    return table;
  }

  @Nullable Function find(String name, int values) {
    Function function = table.get(name);
    return function == null || values < function.least() || values > function.most()
        ? null
        : function;
  }

  @Override
  public String toString() {
    return new TreeSet<>(table.keySet()).toString();
  }
}

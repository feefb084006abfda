package dev.damask.expression;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Functions that expressions of one front end may call besides those of the language. They are
/// pure, and they see integers as long and everything else as a context holds it.
public final class Functions {
  /// Only what the language has.
  public static final Functions NONE = new Functions(Map.of());

  private final Map<String, Function> table;

  public Functions(Map<String, Function> table) {
    this.table = Collections.unmodifiableMap(new TreeMap<>(table));
  }

  /// One function. What it throws as `IllegalArgumentException` fails the evaluation.
  ///
  /// @param least how many values it takes at least
  /// @param most how many at most
  public record Function(int least, int most, Body body) {}

  /// What a function does.
  @FunctionalInterface
  public interface Body {
    @Nullable Object apply(List<@Nullable Object> values);
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

package dev.damask.attribute;

import dev.damask.task.ExpressionFailure;
import dev.damask.term.Attribute;
import dev.damask.value.Context;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Computes the values of declared attributes from the context of a case.
public final class AttributeValues {
  private static final int PROBLEM_CHARACTERS_MAX = 300;

  private AttributeValues() {}

  /// Returns the facts of a case with this context that waits for nothing.
  public static CaseFacts of(List<Attribute> declared, Context context) {
    SortedMap<String, AttributeValue> values = new TreeMap<>();
    SortedMap<String, String> problems = new TreeMap<>();
    declared.forEach(each -> compute(each, context, values, problems));
    return new CaseFacts(values, problems, List.of());
  }

  /// Returns what is wrong with the attributes of a case with this context, one sentence each.
  public static List<String> problems(List<Attribute> declared, Context context) {
    return of(declared, context).problems().entrySet().stream()
        .map(each -> "attribute '" + each.getKey() + "': " + each.getValue())
        .toList();
  }

  /// Replaces the value of one attribute, or the reason why it has none. An attribute that reads
  /// something that is missing has no value.
  public static void compute(
      Attribute attribute,
      Context context,
      SortedMap<String, AttributeValue> values,
      SortedMap<String, String> problems) {
    String name = attribute.name();
    values.remove(name);
    problems.remove(name);
    try {
      Object value = plain(attribute.value().value(context));
      if (value != null) {
        values.put(name, AttributeValue.of(attribute.type(), value));
      }
    } catch (ExpressionFailure e) {
      if (!e.isMissing()) {
        problems.put(name, cut(String.valueOf(e.getMessage())));
      }
    } catch (IllegalArgumentException e) {
      problems.put(name, cut(String.valueOf(e.getMessage())));
    } catch (RuntimeException e) { // the user's; a case continues without the value
      problems.put(name, cut("its function failed: " + e));
    }
  }

  private static @Nullable Object plain(@Nullable Object value) {
    return value instanceof Optional<?> optional ? optional.orElse(null) : value;
  }

  private static String cut(String text) {
    return text.length() > PROBLEM_CHARACTERS_MAX
        ? text.substring(0, PROBLEM_CHARACTERS_MAX) + "…"
        : text;
  }
}

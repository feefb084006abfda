package dev.damask.expression;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.function.Predicate;

/// Regular expressions that take linear time whatever the pattern, as in CEL itself.
final class LinearPattern {
  private LinearPattern() {}

  static Predicate<String> find(String pattern) {
    try {
      Pattern compiled = Pattern.compile(pattern);
      return text -> compiled.matcher(text).find();
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "the pattern '" + pattern + "' is not allowed: " + e.getDescription());
    }
  }
}

package dev.damask.expression;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Predicate;

/// A regular expression with a matching time proportional to its size and the length of the text.
/// The limit applies to its size with all repetitions expanded: `((a{100}){100}){100}` has twenty
/// characters and a million parts.
final class LinearPattern {
  /// The maximum number of parts of a pattern with its repetitions expanded.
  static final int PARTS_MAX = 2_000;

  /// The work that is charged for compiling one character or part of a pattern.
  private static final int COMPILING = 100;

  static {
    ClassPath.read();
  }

  private final Pattern compiled;
  private final int parts;

  private LinearPattern(Pattern compiled, int parts) {
    this.compiled = compiled;
    this.parts = parts;
  }

  /// Compiles a pattern from data, after a charge for its characters or its parts, whichever are
  /// more. Throws `IllegalArgumentException` if it is malformed or too large.
  static LinearPattern of(String pattern, Work work) throws BinaryOperators.Refused {
    long size = Math.max(pattern.length(), Math.min(PARTS_MAX, parts(pattern)));
    work.charge(size * COMPILING);
    return of(pattern);
  }

  /// Compiles a pattern. Throws `IllegalArgumentException` if it is malformed or too large.
  static LinearPattern of(String pattern) {
    long parts = parts(pattern);
    if (parts > PARTS_MAX) {
      throw new IllegalArgumentException(
          "the pattern '%s' has %s parts with its repetitions expanded; at most %d are allowed"
              .formatted(
                  shown(pattern), parts >= Integer.MAX_VALUE ? "too many" : parts, PARTS_MAX));
    }
    try {
      return new LinearPattern(Pattern.compile(pattern), (int) parts);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "the pattern '" + shown(pattern) + "' is not allowed: " + e.getDescription());
    }
  }

  static Predicate<String> find(String pattern) {
    LinearPattern own = of(pattern);
    return text -> {
      if (own.work(text) > Work.MAX) {
        throw new IllegalArgumentException(
            "the pattern '%s' takes too long on %d characters"
                .formatted(shown(pattern), text.length()));
      }
      return own.compiled.matcher(text).find();
    };
  }

  private long work(String text) {
    return (long) parts * text.length();
  }

  /// Returns whether a string contains a match.
  boolean find(String text, Work work) throws BinaryOperators.Refused {
    work.charge(work(text));
    return compiled.matcher(text).find();
  }

  private static String shown(String pattern) {
    return pattern.length() <= 60 ? pattern : pattern.substring(0, 60) + "…";
  }

  /// Counts the parts of a pattern. The count of a malformed pattern is arbitrary, because it is
  /// rejected later.
  private static long parts(String pattern) {
    Deque<Long> outer = new ArrayDeque<>();
    long sum = 0;
    long last = 0;
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      switch (c) {
        case '(' -> {
          outer.push(sum + last);
          sum = 0;
          last = 0;
        }
        case ')' -> {
          last = sum + last + 1;
          sum = outer.isEmpty() ? 0 : outer.pop();
        }
        case '{' -> {
          int end = pattern.indexOf('}', i);
          last = product(last, repetitions(pattern, i + 1, end));
          i = end < 0 ? i : end;
        }
        case '*', '+', '?', '|' -> last++;
        default -> {
          sum += last;
          last = 1;
          i = end(pattern, i);
        }
      }
      if (sum + last >= Integer.MAX_VALUE) {
        return Integer.MAX_VALUE;
      }
    }
    while (!outer.isEmpty()) {
      sum += outer.pop();
    }
    return sum + last;
  }

  /// Returns the index of the last character of an atom: of an escape, of a class, or the character
  /// itself.
  private static int end(String pattern, int start) {
    if (pattern.charAt(start) == '\\') {
      return Math.min(start + 1, pattern.length() - 1);
    }
    if (pattern.charAt(start) != '[') {
      return start;
    }
    int at = start + 1;
    while (at < pattern.length() && (pattern.charAt(at) != ']' || at == start + 1)) {
      at += pattern.charAt(at) == '\\' ? 2 : 1;
    }
    return Math.min(at, pattern.length() - 1);
  }

  private static long product(long one, long other) {
    return Math.min(Integer.MAX_VALUE, one * other);
  }

  /// Returns the larger number of a repetition such as `3`, `3,` or `3,5`, or 1 if it is not a
  /// repetition.
  private static long repetitions(String pattern, int from, int end) {
    long most = 1;
    long number = 0;
    for (int i = from; i < end; i++) {
      char c = pattern.charAt(i);
      if (c == ',') {
        most = Math.max(most, number + 1);
        number = 0;
      } else if (c >= '0' && c <= '9') {
        number = Math.min(Integer.MAX_VALUE, number * 10 + (c - '0'));
      } else {
        return 1;
      }
    }
    return Math.max(most, number);
  }
}

package dev.damask.task;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Markers for secrets in the payload of an effect. A payload is stored and traced with the marker
/// `${secret.NAME}`; the secret itself is filled in at the call and nowhere else.
///
/// Data that happens to look like a marker is escaped by one more brace, `${{secret.NAME}`, so that
/// data cannot request a secret by its name.
public final class Secrets {
  private static final String BEGIN = "${";
  private static final String WORD = "secret.";

  private Secrets() {}

  /// Returns the marker of a secret. Throws `IllegalArgumentException` if the name is malformed.
  public static String marker(String name) {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "the name of a secret must have 1 to 128 letters, digits, '_', '-' and '.', got '"
              + name
              + "'");
    }
    return BEGIN + WORD + name + "}";
  }

  /// Returns whether a string can be the name of a secret: 1 to 128 letters, digits, `_`, `-` and
  /// `.`.
  public static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= 128
        && name.chars()
            .allMatch(c ->
                (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '_'
                    || c == '-'
                    || c == '.');
  }

  /// Returns a value in which nothing is a marker.
  public static @Nullable Object escape(@Nullable Object value) {
    return map(value, Secrets::escape);
  }

  /// Returns a string in which nothing is a marker.
  public static String escape(String text) {
    return rewrite(text, null);
  }

  /// Returns a value with every marker replaced by its secret and every escape undone.
  public static @Nullable Object fill(@Nullable Object value, UnaryOperator<String> secrets) {
    return map(value, text -> rewrite(text, secrets));
  }

  private static @Nullable Object map(@Nullable Object value, UnaryOperator<String> change) {
    return switch (value) {
      case String text -> change.apply(text);
      case List<?> list -> {
        List<@Nullable Object> copy = new ArrayList<>(list.size());
        for (Object item : list) {
          copy.add(map(item, change));
        }
        yield copy;
      }
      case Map<?, ?> entries -> {
        Map<Object, @Nullable Object> copy = new LinkedHashMap<>();
        entries.forEach((key, entry) -> copy.put(key, map(entry, change)));
        yield copy;
      }
      case null, default -> value;
    };
  }

  /// Walks over `${`, any number of further braces, and `secret.`; without secrets to fill in, one
  /// brace is added, otherwise one is removed or, where there is none, the marker is replaced.
  private static String rewrite(String text, @Nullable UnaryOperator<String> secrets) {
    int at = text.indexOf(BEGIN);
    if (at < 0) {
      return text;
    }
    StringBuilder out = new StringBuilder();
    int from = 0;
    for (; at >= 0; at = text.indexOf(BEGIN, from)) {
      int word = at + BEGIN.length();
      while (word < text.length() && text.charAt(word) == '{') {
        word++;
      }
      int braces = word - at - BEGIN.length();
      out.append(text, from, at + BEGIN.length());
      from = at + BEGIN.length();
      if (!text.startsWith(WORD, word)) {
        continue;
      }
      if (secrets == null) {
        out.append('{');
        continue;
      }
      if (braces > 0) {
        from++;
        continue;
      }
      int end = text.indexOf('}', word);
      String name = end < 0 ? "" : text.substring(word + WORD.length(), end);
      if (isName(name)) {
        out.setLength(out.length() - BEGIN.length());
        out.append(secrets.apply(name));
        from = end + 1;
      }
    }
    return out.append(text, from, text.length()).toString();
  }
}

package dev.damask.intake;

import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finds U+0000 in data. PostgreSQL stores it in no text, so every store refuses it.
public final class ZeroCharacters {
  private ZeroCharacters() {}

  /// Throws `IllegalArgumentException` if a name or a string in a context contains U+0000.
  ///
  /// @param what the data, for example `case a: the input`
  public static void refuse(String what, Context context) {
    String path = find(context);
    if (path != null) {
      throw new IllegalArgumentException(
          "%s must not contain U+0000, found one in '%s'".formatted(what, path));
    }
  }

  /// Returns where U+0000 is, for example `order.lines[2]`; null if it is nowhere.
  public static @Nullable String find(Context context) {
    @Nullable String[] found = {null};
    context.forEach((key, value) -> {
      if (found[0] == null) {
        found[0] = key.indexOf(0) >= 0 ? shown(key) : in(key, value);
      }
    });
    return found[0];
  }

  private static @Nullable String in(String path, @Nullable Object value) {
    return switch (value) {
      case String text -> text.indexOf(0) >= 0 ? path : null;
      case List<?> items -> {
        for (int i = 0; i < items.size(); i++) {
          String found = in(path + "[" + i + "]", items.get(i));
          if (found != null) {
            yield found;
          }
        }
        yield null;
      }
      case Map<?, ?> map -> {
        for (Map.Entry<?, ?> each : map.entrySet()) {
          String key = String.valueOf(each.getKey());
          String found =
              key.indexOf(0) >= 0 ? path + "." + shown(key) : in(path + "." + key, each.getValue());
          if (found != null) {
            yield found;
          }
        }
        yield null;
      }
      case Context context -> find(context);
      case null, default -> null;
    };
  }

  private static String shown(String key) {
    return key.replace("\0", "\\u0000");
  }
}

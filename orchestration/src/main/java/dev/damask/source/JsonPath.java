package dev.damask.source;

import dev.damask.json.Json;
import dev.damask.json.Position;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Finds the place of a path such as `apiCalls[0].extractMap.price` in a document.
public final class JsonPath {
  private static final Pattern PART = Pattern.compile("\\[([0-9]{1,6})\\]|([^.\\[\\]]+)");

  private JsonPath() {}

  /// Where a path leads; where it cannot be followed, the innermost place it passes.
  public static Position spot(Json document, String path) {
    Json at = document;
    Matcher parts = PART.matcher(path);
    while (parts.find()) {
      Json next = next(at, parts.group(1), parts.group(2));
      if (next == null) {
        break;
      }
      at = next;
    }
    return at.at();
  }

  private static @Nullable Json next(Json at, @Nullable String index, @Nullable String key) {
    if (at instanceof Json.Items(var spot, var items) && index != null) {
      int number = Integer.parseInt(index);
      return number < items.size() ? items.get(number) : null;
    }
    return at instanceof Json.Fields fields && key != null ? fields.get(key) : null;
  }
}

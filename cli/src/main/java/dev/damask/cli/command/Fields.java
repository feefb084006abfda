package dev.damask.cli.command;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads the fields of plain JSON objects. A field that is missing or of another kind is empty,
/// zero or false.
public final class Fields {
  private Fields() {}

  /// Returns a string.
  public static String text(Map<String, @Nullable Object> object, String name) {
    return object.get(name) instanceof String text ? text : "";
  }

  /// Returns an integer.
  public static long whole(Map<String, @Nullable Object> object, String name) {
    return object.get(name) instanceof Number number ? number.longValue() : 0;
  }

  /// Returns a boolean.
  public static boolean flag(Map<String, @Nullable Object> object, String name) {
    return object.get(name) instanceof Boolean flag && flag;
  }

  /// Returns a list of strings.
  public static List<String> texts(Map<String, @Nullable Object> object, String name) {
    List<String> all = new ArrayList<>();
    if (object.get(name) instanceof List<?> list) {
      list.forEach(each -> all.add(String.valueOf(each)));
    }
    return all;
  }

  /// Returns an object.
  public static Map<String, @Nullable Object> object(
      Map<String, @Nullable Object> object, String name) {
    return copy(object.get(name));
  }

  /// Returns a list of objects.
  public static List<Map<String, @Nullable Object>> objects(
      Map<String, @Nullable Object> object, String name) {
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    if (object.get(name) instanceof List<?> list) {
      list.forEach(each -> all.add(copy(each)));
    }
    return all;
  }

  private static Map<String, @Nullable Object> copy(@Nullable Object value) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, each) -> all.put(String.valueOf(key), each));
    }
    return all;
  }
}

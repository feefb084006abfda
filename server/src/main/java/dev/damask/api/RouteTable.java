package dev.damask.api;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// All routes, and the way from a path to one of them.
public final class RouteTable {
  private final List<Route> routes;

  /// Creates a table. Throws `IllegalArgumentException` if two routes are the same.
  public RouteTable(List<Route> routes) {
    this.routes = List.copyOf(routes);
    long distinct =
        routes.stream().map(each -> each.method() + " " + each.path()).distinct().count();
    if (distinct != routes.size()) {
      throw new IllegalArgumentException("two routes have the same method and path");
    }
  }

  /// Returns the rows in their order.
  public List<Route> routes() {
    return routes;
  }

  /// A route with the values of the names in its path.
  public record Match(Route route, Map<String, String> values) {}

  /// Returns the route of a method and a path; empty if no route has the path. Throws [Problem] if
  /// the path is malformed or its routes have other methods.
  ///
  /// @param path as it was received, with percent-encoding
  public Optional<Match> find(String method, String path) {
    List<String> segments = segments(path);
    TreeSet<String> others = new TreeSet<>();
    Match best = null;
    for (Route each : routes) {
      Map<String, String> values = values(each.path(), segments);
      if (values == null) {
        continue;
      }
      if (!each.method().equals(method)) {
        others.add(each.method());
      } else if (best == null || values.size() < best.values.size()) {
        best = new Match(each, values); // a word wins over a name
      }
    }
    if (best == null && !others.isEmpty()) {
      throw new Problem(
              Problem.Kind.WRONG_METHOD, "use " + String.join(" or ", others) + " at this address")
          .with("allow", String.join(", ", others));
    }
    return Optional.ofNullable(best);
  }

  private static @org.jspecify.annotations.Nullable Map<String, String> values(
      String pattern, List<String> segments) {
    String[] parts = pattern.substring(1).split("/", -1);
    if (parts.length != segments.size()) {
      return null;
    }
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < parts.length; i++) {
      if (parts[i].startsWith("{")) {
        values.put(parts[i].substring(1, parts[i].length() - 1), segments.get(i));
      } else if (!parts[i].equals(segments.get(i))) {
        return null;
      }
    }
    return values;
  }

  /// Returns the decoded segments of a path.
  static List<String> segments(String path) {
    List<String> all = new ArrayList<>();
    for (String each : path.substring(1).split("/", -1)) {
      all.add(decoded(each, false));
    }
    return all;
  }

  /// Returns the parameters of a query string. Throws [Problem] if it is malformed or names one
  /// twice.
  static Map<String, String> query(String text) {
    Map<String, String> all = new LinkedHashMap<>();
    if (text.isEmpty()) {
      return all;
    }
    for (String each : text.split("&", -1)) {
      int equals = each.indexOf('=');
      String name = decoded(equals < 0 ? each : each.substring(0, equals), true);
      String value = equals < 0 ? "" : decoded(each.substring(equals + 1), true);
      if (all.put(name, value) != null) {
        throw Problem.bad("the parameter '" + Call.shortened(name) + "' is given twice");
      }
    }
    return all;
  }

  private static String decoded(String text, boolean isForm) {
    byte[] bytes = new byte[text.length() * 3];
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        int value =
            i + 2 < text.length()
                ? hex(text.charAt(i + 1)) * 16 + hex(text.charAt(i + 2))
                : Integer.MIN_VALUE;
        if (value < 0) {
          throw Problem.bad("the address has a malformed percent-encoding");
        }
        bytes[length++] = (byte) value;
        i += 2;
      } else if (c > 126 || c <= 32) {
        throw Problem.bad("the address has a character that must be percent-encoded");
      } else {
        bytes[length++] = (byte) (isForm && c == '+' ? ' ' : c);
      }
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, 0, length))
          .toString();
    } catch (CharacterCodingException e) {
      throw Problem.bad("the address is not UTF-8");
    }
  }

  private static int hex(char c) {
    int digit = c < 128 ? Character.digit(c, 16) : -1;
    return digit < 0 ? -1_000 : digit;
  }
}

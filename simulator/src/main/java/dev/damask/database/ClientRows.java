package dev.damask.database;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Rows as the driver shows them.
final class ClientRows implements InvocationHandler {
  private final List<@Nullable Object[]> rows;
  private int at = -1;
  private boolean wasNull;

  ClientRows(List<@Nullable Object[]> rows) {
    this.rows = rows;
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] given) {
    return switch (method.getName()) {
      case "next" -> ++at < rows.size();
      case "close" -> null;
      case "wasNull" -> wasNull;
      case "getInt" -> column(given) instanceof Number number ? number.intValue() : 0;
      case "getShort" -> column(given) instanceof Number number ? number.shortValue() : (short) 0;
      case "getLong" -> column(given) instanceof Number number ? number.longValue() : 0L;
      case "getBoolean" -> Boolean.TRUE.equals(column(given));
      case "getString" -> {
        Object value = column(given);
        yield value == null ? null : SqlValues.text(value);
      }
      case "getBytes" -> column(given) instanceof SqlValues.Blob(var bytes) ? bytes.clone() : null;
      case "getObject" -> column(given);
      case "getArray" -> new ClientArray((List<?>) Objects.requireNonNull(column(given)));
      default -> ClientConnection.common(proxy, method, given);
    };
  }

  private @Nullable Object column(@Nullable Object @Nullable [] given) {
    int index = (Integer) Objects.requireNonNull(Objects.requireNonNull(given)[0]);
    Object value = rows.get(at)[index - 1];
    wasNull = value == null;
    return value;
  }
}

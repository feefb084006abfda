package dev.damask.database;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A statement as the driver shows it.
final class ClientStatement implements InvocationHandler {
  private final ClientConnection connection;
  private final @Nullable String text; // null if each execution brings its own
  private final List<@Nullable Object> values = new ArrayList<>();
  private List<Backend.Result> results = List.of();
  private int at;

  ClientStatement(ClientConnection connection, @Nullable String text) {
    this.connection = connection;
    this.text = text;
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] given)
      throws Throwable {
    @Nullable Object[] arguments = given == null ? new Object[0] : given;
    String name = method.getName();
    if (name.equals("setQueryTimeout") || name.equals("setFetchSize") || name.equals("close")) {
      return null;
    }
    if (name.startsWith("set") && arguments.length >= 2) {
      set(
          (Integer) Objects.requireNonNull(arguments[0]),
          name.equals("setNull") ? null : arguments[1]);
      return null;
    }
    return switch (name) {
      case "execute" -> {
        run(arguments);
        yield isRows();
      }
      case "executeQuery" -> {
        run(arguments);
        while (!isRows() && at < results.size() - 1) {
          at++;
        }
        yield rows();
      }
      case "executeUpdate" -> {
        run(arguments);
        yield Math.max(0, results.getLast().count());
      }
      case "getResultSet" -> rows();
      case "getUpdateCount" -> at < results.size() && !isRows() ? results.get(at).count() : -1;
      case "getMoreResults" -> {
        at++;
        yield isRows();
      }
      default -> ClientConnection.common(proxy, method, given);
    };
  }

  private void run(@Nullable Object[] arguments) throws SQLException {
    String run = text == null ? (String) Objects.requireNonNull(arguments[0]) : text;
    at = 0;
    results = connection.execute(run, values);
  }

  private boolean isRows() {
    return at < results.size() && results.get(at).rows() != null;
  }

  private @Nullable ResultSet rows() {
    return isRows()
        ? ClientConnection.proxy(
            ResultSet.class, new ClientRows(Objects.requireNonNull(results.get(at).rows())))
        : null;
  }

  private void set(int index, @Nullable Object value) {
    while (values.size() < index) {
      values.add(null);
    }
    values.set(index - 1, value(value));
  }

  /// Returns a value of Java in the form of the database.
  static @Nullable Object value(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case Integer number -> (long) number;
      case Short number -> (long) number;
      case byte[] bytes -> new SqlValues.Blob(bytes);
      case ClientArray array -> array.elements();
      default -> value;
    };
  }
}

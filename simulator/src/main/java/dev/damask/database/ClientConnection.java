package dev.damask.database;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A session as the driver shows it. The interfaces of JDBC have hundreds of methods, of which a
/// few are used; a proxy answers these.
final class ClientConnection {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final VirtualDatabase database;
  private final Wire wire;
  private final VirtualSource source;
  private @Nullable Object physical; // what unwrap returns
  private boolean isAutomatic = true;
  private boolean isOpen; // a transaction
  private long notified;

  ClientConnection(VirtualDatabase database, Wire wire, VirtualSource source) {
    this.database = database;
    this.wire = wire;
    this.source = source;
    this.notified = database.notifications();
  }

  boolean isBroken() {
    return wire.isBroken();
  }

  /// Returns the session to its next borrower.
  Connection open() {
    return proxy(Connection.class, new Handler());
  }

  static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader() == null
                ? ClientConnection.class.getClassLoader()
                : type.getClassLoader(),
            new Class<?>[] {type},
            handler));
  }

  /// Answers the methods that every proxy has.
  static @Nullable Object common(Object proxy, Method method, @Nullable Object @Nullable [] given) {
    return switch (method.getName()) {
      case "hashCode" -> System.identityHashCode(proxy);
      case "equals" -> given != null && proxy == given[0];
      case "toString" -> "virtual " + method.getDeclaringClass().getSimpleName();
      default ->
          throw new IllegalArgumentException("the virtual database has no JDBC method " + method);
    };
  }

  /// One borrower's view of the session.
  private final class Handler implements InvocationHandler {
    private boolean isClosed;

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] given)
        throws Throwable {
      @Nullable Object[] values = given == null ? new Object[0] : given;
      return switch (method.getName()) {
        case "setAutoCommit" -> setAutomatic((Boolean) Objects.requireNonNull(values[0]));
        case "getAutoCommit" -> isAutomatic;
        case "commit" -> end("commit");
        case "rollback" -> end("rollback");
        case "isClosed" -> isClosed || wire.isBroken();
        case "isValid" -> !wire.isBroken();
        case "close", "abort" -> close();
        case "createStatement" ->
            proxy(Statement.class, new ClientStatement(ClientConnection.this, null));
        case "prepareStatement" ->
            proxy(
                PreparedStatement.class,
                new ClientStatement(ClientConnection.this, (String) values[0]));
        case "createArrayOf" -> array((Object[]) Objects.requireNonNull(values[1]));
        case "unwrap" -> unwrapped((Class<?>) Objects.requireNonNull(values[0]));
        case "clearWarnings", "setTransactionIsolation", "setReadOnly" -> null;
        case "getWarnings" -> null;
        default -> common(proxy, method, given);
      };
    }

    private @Nullable Object close() {
      if (!isClosed) {
        isClosed = true;
        if (!wire.isBroken()) {
          source.release(ClientConnection.this);
        }
      }
      return null;
    }
  }

  private @Nullable Object setAutomatic(boolean value) throws SQLException {
    if (value && isOpen) {
      end("commit");
    }
    isAutomatic = value;
    return null;
  }

  private @Nullable Object end(String word) throws SQLException {
    if (isOpen) {
      isOpen = false;
      if (word.equals("commit")) {
        source.committing(wire);
      }
      send(word, List.of(), false);
    } else if (wire.isBroken()) {
      send(word, List.of(), false); // reports the error
    }
    return null;
  }

  List<Backend.Result> execute(String text, List<@Nullable Object> values) throws SQLException {
    source.executing(text);
    isOpen |= !isAutomatic;
    return send(text, values, !isAutomatic);
  }

  private List<Backend.Result> send(
      String text, List<@Nullable Object> values, boolean isInTransaction) throws SQLException {
    try {
      List<Sql> statements = database.parse(text);
      database.host().note(text);
      Backend.Answer answer =
          wire.call(new Backend.Message(statements, new ArrayList<>(values), isInTransaction));
      if (answer.error() != null) {
        throw answer.error();
      }
      return answer.results();
    } catch (SqlError e) {
      if (e.isGap()) {
        database.lacks(e.getMessage());
      }
      throw new SQLException(e.getMessage(), e.state());
    }
  }

  private static Array array(@Nullable Object[] elements) {
    List<@Nullable Object> values = new ArrayList<>();
    for (Object each : elements) {
      values.add(ClientStatement.value(each));
    }
    return new ClientArray(values);
  }

  private Object unwrapped(Class<?> type) {
    if (physical == null) {
      physical =
          proxy(
              type,
              (proxy, method, given) ->
                  method.getName().equals("getNotifications")
                      ? await(given == null ? 0 : (Integer) Objects.requireNonNull(given[0]))
                      : common(proxy, method, given));
    }
    return physical;
  }

  /// Waits for a notification, which returns nothing: it is only a hint.
  private @Nullable Object await(int millis) throws SQLException {
    database
        .host()
        .awaitUninterruptibly(
            () -> database.notifications() != notified || wire.isBroken(),
            millis * NANOS_PER_MILLI);
    notified = database.notifications();
    if (wire.isBroken()) {
      send("select 1", List.of(), false);
    }
    return null;
  }
}

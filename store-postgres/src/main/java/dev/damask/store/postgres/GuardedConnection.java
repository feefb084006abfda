package dev.damask.store.postgres;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/// The connection that a handler gets. It refuses what would end or change the transaction: commit,
/// rollback, setAutoCommit, close, another isolation level, and SQL statements that do the same.
/// Savepoints work. After the handler has returned it refuses everything.
final class GuardedConnection {
  private final Connection connection;
  private final Connection guarded;
  private volatile boolean isClosed; // set when the handler has returned

  GuardedConnection(Connection connection) {
    this.connection = connection;
    this.guarded = proxy(Connection.class, this::onConnection);
  }

  Connection connection() {
    return guarded;
  }

  void close() {
    isClosed = true;
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            GuardedConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private @Nullable Object onConnection(
      Object self, Method method, @Nullable Object @Nullable [] given) throws Throwable {
    @Nullable Object[] arguments = given == null ? new Object[0] : given;
    switch (method.getName()) {
      case "toString" -> {
        return "the connection of a transaction, " + connection;
      }
      case "hashCode" -> {
        return System.identityHashCode(self);
      }
      case "equals" -> {
        return self == arguments[0];
      }
      case "isClosed" -> {
        return isClosed || connection.isClosed();
      }
      case "isWrapperFor" -> {
        return arguments[0] == Connection.class || arguments[0] == PGConnection.class;
      }
      case "unwrap" -> {
        return unwrap((Class<?>) Objects.requireNonNull(arguments[0]));
      }
      case "commit", "setAutoCommit", "close", "abort", "beginRequest", "endRequest" ->
          throw refused(method.getName());
      case "setTransactionIsolation", "setReadOnly", "setNetworkTimeout" -> {
        if (!isSame(method.getName(), arguments)) {
          throw refused(method.getName());
        }
        return null;
      }
      case "rollback" -> {
        if (arguments.length == 0) {
          throw refused("rollback");
        }
      }
      default -> {}
    }
    require();
    refuse(method.getName(), arguments);
    Object result = call(connection, method, arguments);
    return result instanceof Statement statement ? guard(statement) : result;
  }

  /// Whether a setter changes nothing; frameworks call such setters.
  private boolean isSame(String setter, @Nullable Object[] arguments) throws SQLException {
    return switch (setter) {
      case "setTransactionIsolation" ->
          Integer.valueOf(connection.getTransactionIsolation()).equals(arguments[0]);
      case "setReadOnly" -> Boolean.valueOf(connection.isReadOnly()).equals(arguments[0]);
      default -> false;
    };
  }

  /// Only what cannot end the transaction is handed out.
  private Object unwrap(Class<?> type) throws SQLException {
    if (type == Connection.class) {
      return guarded;
    }
    if (type == PGConnection.class) {
      PGConnection inside = connection.unwrap(PGConnection.class);
      return proxy(
          PGConnection.class,
          (_, method, arguments) -> {
            require();
            return call(inside, method, arguments == null ? new Object[0] : arguments);
          });
    }
    throw refused("unwrap to " + type.getName());
  }

  private Statement guard(Statement statement) {
    Class<? extends Statement> type =
        statement instanceof CallableStatement
            ? CallableStatement.class
            : statement instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
    return proxy(
        type,
        (self, method, given) -> {
          @Nullable Object[] arguments = given == null ? new Object[0] : given;
          switch (method.getName()) {
            case "getConnection" -> {
              return guarded;
            }
            case "unwrap" -> {
              throw refused("unwrap of a statement");
            }
            case "isWrapperFor" -> {
              return false;
            }
            case "equals" -> {
              return self == arguments[0];
            }
            case "close", "isClosed", "hashCode", "toString" -> {}
            default -> require();
          }
          refuse(method.getName(), arguments);
          Object result = call(statement, method, arguments);
          return result instanceof ResultSet rows ? guard(rows, (Statement) self) : result;
        });
  }

  private static ResultSet guard(ResultSet rows, Statement statement) {
    return proxy(
        ResultSet.class,
        (self, method, given) -> {
          @Nullable Object[] arguments = given == null ? new Object[0] : given;
          return switch (method.getName()) {
            case "getStatement" -> statement;
            case "unwrap" -> throw refused("unwrap of a result");
            case "isWrapperFor" -> false;
            case "equals" -> self == arguments[0];
            default -> call(rows, method, arguments);
          };
        });
  }

  /// Refuses SQL that would end the transaction.
  private static void refuse(String method, @Nullable Object[] arguments) throws SQLException {
    boolean isSql =
        method.startsWith("prepare") || method.startsWith("execute") || method.equals("addBatch");
    if (isSql && arguments.length > 0 && arguments[0] instanceof String text) {
      String ending = TransactionWords.find(text);
      if (!ending.isEmpty()) {
        throw refused("SQL statement '" + ending + "'");
      }
    }
  }

  private void require() throws SQLException {
    if (isClosed) {
      throw new SQLException("the handler of this connection has returned", "08003");
    }
  }

  private static SQLException refused(String what) {
    return new SQLException(
        "%s is refused: the transaction belongs to the case, which commits it".formatted(what),
        "2D000");
  }

  private static @Nullable Object call(Object target, Method method, @Nullable Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }
}

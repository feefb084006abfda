package dev.damask.spring;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/// The connection of a step's transaction as a transaction manager sees it. While the manager
/// begins and completes its own transaction, commit, rollback, close and setAutoCommit do nothing:
/// the engine ends the transaction together with the case. While the handler runs, the engine's
/// connection refuses them.
final class StepConnection {
  private final Connection connection;
  private final Connection view;
  private boolean isManaged = true; // one thread uses a step's connection
  private boolean isTaken;

  /// @param connection the engine's connection, which refuses to end the transaction
  StepConnection(Connection connection) {
    this.connection = connection;
    this.view =
        (Connection)
            Proxy.newProxyInstance(
                StepConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                this::call);
  }

  /// Returns the connection for the transaction manager.
  Connection take() {
    isTaken = true;
    return view;
  }

  /// Returns whether a transaction manager has asked for it.
  boolean isTaken() {
    return isTaken;
  }

  /// Leaves the connection to the handler, or takes it back for the transaction manager.
  void setManaged(boolean value) {
    isManaged = value;
  }

  private @Nullable Object call(Object self, Method method, @Nullable Object @Nullable [] arguments)
      throws Throwable {
    switch (method.getName()) {
      case "equals" -> {
        return arguments != null && self == arguments[0];
      }
      case "hashCode" -> {
        return System.identityHashCode(self);
      }
      case "commit", "close", "setAutoCommit" -> {
        if (isManaged) {
          return null;
        }
      }
      case "rollback" -> {
        if (isManaged && arguments == null) {
          return null;
        }
      }
      default -> {}
    }
    try {
      return method.invoke(connection, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }
}

package dev.damask.store.postgres;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.logging.Logger;
import javax.sql.DataSource;

/// A database that executes other statements than it was sent: a server that lacks a guarantee, or
/// a node that lacks a rule.
class AlteredSource implements DataSource {
  private final DataSource real;
  private final UnaryOperator<String> change;
  private final AtomicInteger changes = new AtomicInteger();

  AlteredSource(DataSource real, UnaryOperator<String> change) {
    this.real = real;
    this.change = change;
  }

  /// Replaces a part of each statement.
  static AlteredSource replacing(DataSource real, String part, String other) {
    return new AlteredSource(real, sql -> sql.replace(part, other));
  }

  /// Returns how many statements were changed, so that a test can tell that the rule it removed was
  /// there.
  int changes() {
    return changes.get();
  }

  private String changed(String sql) {
    String other = change.apply(sql);
    if (!other.equals(sql)) {
      changes.incrementAndGet();
    }
    return other;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = real.getConnection();
    return (Connection)
        Proxy.newProxyInstance(
            AlteredSource.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (_, method, given) -> {
              Object[] arguments = given == null ? new Object[0] : given.clone();
              if (method.getName().equals("prepareStatement")) {
                arguments[0] = changed((String) arguments[0]);
              }
              Object result = invoke(connection, method, arguments);
              return method.getName().equals("createStatement") ? statement(result) : result;
            });
  }

  private Object statement(Object real) {
    return Proxy.newProxyInstance(
        AlteredSource.class.getClassLoader(),
        new Class<?>[] {Statement.class},
        (_, method, given) -> {
          Object[] arguments = given == null ? new Object[0] : given.clone();
          if (method.getName().startsWith("execute") && arguments.length > 0) {
            arguments[0] = changed((String) arguments[0]);
          }
          return invoke(real, method, arguments);
        });
  }

  private static Object invoke(Object target, java.lang.reflect.Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLException("not used");
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return real.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    real.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    real.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return real.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return real.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return real.isWrapperFor(type);
  }
}

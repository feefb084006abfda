package dev.damask.database;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Map;

/// An array as the driver shows it.
final class ClientArray implements Array {
  private final List<?> elements;

  ClientArray(List<?> elements) {
    this.elements = elements;
  }

  List<?> elements() {
    return elements;
  }

  /// Returns the elements as the driver does for a column of `int4[]`.
  @Override
  public Object getArray() {
    return elements.stream().map(each -> ((Long) each).intValue()).toArray(Integer[]::new);
  }

  @Override
  public void free() {}

  private static SQLException unused() {
    return new SQLFeatureNotSupportedException("virtual database");
  }

  @Override
  public String getBaseTypeName() throws SQLException {
    throw unused();
  }

  @Override
  public int getBaseType() throws SQLException {
    throw unused();
  }

  @Override
  public Object getArray(Map<String, Class<?>> map) throws SQLException {
    throw unused();
  }

  @Override
  public Object getArray(long index, int count) throws SQLException {
    throw unused();
  }

  @Override
  public Object getArray(long index, int count, Map<String, Class<?>> map) throws SQLException {
    throw unused();
  }

  @Override
  public ResultSet getResultSet() throws SQLException {
    throw unused();
  }

  @Override
  public ResultSet getResultSet(Map<String, Class<?>> map) throws SQLException {
    throw unused();
  }

  @Override
  public ResultSet getResultSet(long index, int count) throws SQLException {
    throw unused();
  }

  @Override
  public ResultSet getResultSet(long index, int count, Map<String, Class<?>> map)
      throws SQLException {
    throw unused();
  }
}

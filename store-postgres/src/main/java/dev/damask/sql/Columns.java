package dev.damask.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The arrays of one statement, column by column.
public final class Columns {
  private final List<String> types = new ArrayList<>();
  private final List<List<@Nullable Object>> values = new ArrayList<>();

  public Columns(String... types) {
    for (String type : types) {
      this.types.add(type);
      values.add(new ArrayList<>());
    }
  }

  public void add(@Nullable Object... row) {
    for (int i = 0; i < row.length; i++) {
      values.get(i).add(row[i]);
    }
  }

  public boolean isEmpty() {
    return values.getFirst().isEmpty();
  }

  public void set(Connection connection, PreparedStatement statement) throws SQLException {
    set(connection, statement, 0);
  }

  /// Sets the parameters of a statement.
  ///
  /// @param before how many parameters stand before these
  public void set(Connection connection, PreparedStatement statement, int before)
      throws SQLException {
    for (int i = 0; i < types.size(); i++) {
      String type = types.get(i);
      statement.setArray(
          before + i + 1, connection.createArrayOf(type, typed(type, values.get(i))));
    }
  }

  /// Returns an array of the element type, which the driver can send as binary data.
  private static Object[] typed(String type, List<@Nullable Object> values) {
    return switch (type) {
      case "int2" -> values.toArray(new Short[0]);
      case "int4" -> values.toArray(new Integer[0]);
      case "int8" -> values.toArray(new Long[0]);
      case "bytea" -> values.toArray(new byte[0][]);
      default -> values.toArray(new String[0]);
    };
  }

  /// Runs a statement whose parameters are these columns; does nothing if they have no rows.
  public int run(Connection connection, String statement) throws SQLException {
    if (isEmpty()) {
      return 0;
    }
    try (PreparedStatement update = connection.prepareStatement(statement)) {
      set(connection, update);
      return update.executeUpdate();
    }
  }
}

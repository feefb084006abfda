package dev.damask.sql;

/// Writes SQL for one schema. Statements name every table with its schema, because the search path
/// of a connection belongs to the application that owns the pool.
///
/// @param schema the name of the schema, which needs no quoting
public record SqlText(String schema) {
  /// Returns a statement in which each `@.` is replaced by the schema.
  public String of(String statement) {
    return statement.replace("@.", schema + ".");
  }
}

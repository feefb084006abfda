package dev.damask.store.postgres;

import java.sql.Connection;
import java.sql.SQLException;

/// Work on a connection inside a transaction that the caller has begun and will commit.
@FunctionalInterface
interface SqlFunction<T> {
  T apply(Connection connection) throws SQLException;
}

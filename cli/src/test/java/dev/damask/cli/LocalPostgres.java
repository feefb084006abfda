package dev.damask.cli;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;

/// A PostgreSQL server of a test that keeps what it has acknowledged.
final class LocalPostgres implements AutoCloseable {
  private final EmbeddedPostgres server;

  LocalPostgres() throws IOException {
    server =
        EmbeddedPostgres.builder()
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("full_page_writes", "on")
            .start();
  }

  /// Returns the URL of a schema as the commands accept it.
  String url(String schema) {
    return "postgresql://postgres:postgres@localhost:%d/postgres?schema=%s"
        .formatted(port(), schema);
  }

  int port() {
    return server.getPort();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}

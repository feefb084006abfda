package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.damask.cluster.Slots;
import dev.damask.store.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/// A real PgBouncer between the node and the server. Skipped where it is not installed, for example
/// with Debian's package `pgbouncer`.
@Timeout(60)
final class PoolerTest {
  @TempDir Path folder;

  private final PostgresOptions options = TestServer.schema();
  private @Nullable Process process; // null until it is started

  @AfterEach
  void stop() throws InterruptedException {
    Process started = process;
    if (started != null) {
      started.destroy();
      assertThat(started.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static Optional<Path> program() {
    return Stream.of("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer")
        .map(Path::of)
        .filter(Files::isExecutable)
        .findFirst();
  }

  /// Starts PgBouncer and returns connections through it.
  private PGSimpleDataSource pooler(String mode, int size, int inTurn) throws IOException {
    Optional<Path> program = program();
    assumeThat(program).isPresent();
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Path settings = folder.resolve("pgbouncer.ini");
    Files.writeString(
        settings,
        """
        [databases]
        * = host=%s port=%d user=%s password=%s
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = any
        pool_mode = %s
        default_pool_size = %d
        server_round_robin = %d
        ignore_startup_parameters = extra_float_digits
        """
            .formatted(
                TestServer.host(),
                TestServer.port(),
                TestServer.source().getUser(),
                TestServer.source().getPassword(),
                port,
                mode,
                size,
                inTurn));
    ProcessBuilder builder =
        new ProcessBuilder(program.orElseThrow().toString(), settings.toString());
    if ("root".equals(System.getProperty("user.name"))) {
      builder.command().addAll(1, List.of("-u", "nobody")); // it refuses to run as root
    }
    process =
        builder.redirectErrorStream(true).redirectOutput(folder.resolve("log").toFile()).start();
    PGSimpleDataSource source = TestServer.through("127.0.0.1", port);
    TestNodes.await(() -> answers(source), () -> "an answer of PgBouncer: " + log());
    return source;
  }

  private static boolean answers(PGSimpleDataSource source) {
    try (Connection connection = source.getConnection()) {
      return connection.isValid(5);
    } catch (SQLException e) {
      return false;
    }
  }

  private String log() {
    try {
      return Files.readString(folder.resolve("log"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "10, 0", "10, 1"})
  void transaction_mode_is_refused(int size, int inTurn) throws IOException {
    PGSimpleDataSource source = pooler("transaction", size, inTurn);

    assertThatThrownBy(() -> PostgresCluster.of(source, options).join())
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "the connections go through a pooler in transaction mode; connect to the server"
                + " directly or set the pooler to session mode");
    assertThat(TestServer.query("select count(*) from " + options.schema() + ".node"))
        .containsExactly("0");
  }

  @Test
  void session_mode_is_accepted() throws IOException {
    PGSimpleDataSource source = pooler("session", 10, 0);

    try (PostgresNode node = PostgresNode.join(source, options)) {
      assertThat(node.slotCount()).isEqualTo(Slots.COUNT);
    }
  }
}

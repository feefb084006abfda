package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.cases.Engine;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Streams;
import dev.damask.server.DamaskServer;
import dev.damask.server.ServerOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What commands report if a server cannot be used.
final class ServerErrorsTest {
  @TempDir Path folder;

  private Engine engine;
  private DamaskServer server;
  private String url = "";
  private String admin = "";
  private String viewer = "";

  @BeforeEach
  void open() {
    engine = Engine.open();
    ServerOptions options = ServerOptions.defaults().withPort(0);
    admin = options.tokens().issue(Caller.of("anna", Role.ADMIN));
    viewer = options.tokens().issue(Caller.of("vera", Role.VIEWER));
    server = DamaskServer.start(engine, options);
    url = server.url().toString();
  }

  @AfterEach
  void close() {
    server.close();
    engine.close();
  }

  private static void refused(String message, String... words) {
    Shell shell = damask(words);
    assertThat(shell.err()).startsWith("damask: ").contains(message).hasLineCount(1);
    assertThat(shell.exit()).isEqualTo(Exit.INVALID);
  }

  @Test
  void wrong_addresses_and_tokens_are_reported_with_what_to_do() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    refused("not the URL of a server", "cases", "--server", "ftp://127.0.0.1");
    refused("not the URL of a server", "cases", "--server", "http://a b");
    refused("not the URL of a server", "cases", "--server", "http://user:secret@127.0.0.1");
    refused(
        "no server listens there; check --server", "cases", "--server", "http://127.0.0.1:" + free);
    refused("the TLS connection failed", "cases", "--server", url.replace("http:", "https:"));
    refused("does not know the token", "cases", "--server", url, "--token", "guessed");
    refused("a token has no spaces", "cases", "--server", url, "--token", "a\nb");
    refused(
        "the file does not exist",
        "cases",
        "--server",
        url,
        "--token",
        "@" + folder.resolve("none"));
    refused("--token requires --server", "cases", "--store", "x", "--token", "y");
    refused("exclude each other", "cases", "--store", "x", "--server", url);
    refused("the store is empty", "show", "one", "--server", url, "--token", admin);
    refused("needs the role", "verify", "--server", url, "--token", viewer);
    refused(
        "--document cannot be used with --server",
        "show",
        "one",
        "--server",
        url,
        "--token",
        admin,
        "--document",
        "d.yaml");
  }

  @Test
  void a_server_that_is_not_damask_is_recognised() throws Exception {
    try (StubServer other = new StubServer(_ -> true)) {
      refused("not a Damask server", "cases", "--server", "http://" + other.place());
    }
  }

  @Test
  void nodes_are_watched_across_a_restart_of_the_server() throws Exception {
    ServerOptions options = ServerOptions.defaults().withPort(server.url().getPort());
    String token = options.tokens().issue(Caller.of("anna", Role.ADMIN));
    server.close();
    server = DamaskServer.start(engine, options);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Streams streams = new Streams(new PrintWriter(out), new PrintWriter(err, true), false);
    Thread watch =
        Thread.ofVirtual()
            .start(() ->
                CommandTree.execute(
                    streams, "nodes", "--server", url, "--token", token, "--watch"));
    try {
      await(() -> out.toString().contains("heartbeat"));
      server.close();
      await(() -> err.toString().contains("no server listens there"));
      int listed = out.toString().length();
      server = DamaskServer.start(engine, options);
      await(() -> out.toString().length() > listed);
    } finally {
      watch.interrupt();
      watch.join();
    }
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + 60_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }

  @Test
  void a_server_that_is_not_there_is_not_watched() {
    server.close();

    refused("no server listens there", "nodes", "--server", url, "--watch");
  }

  @Test
  void a_token_is_read_from_a_file() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), admin + "\n");

    Shell shell = damask("cases", "--server", url, "--token", "@" + file);

    assertThat(shell.exit()).as(shell.err()).isZero();
    assertThat(shell.err()).isEqualTo("damask: no cases found\n");
  }
}

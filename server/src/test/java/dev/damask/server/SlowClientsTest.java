package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Caller;
import dev.damask.api.Dispatcher;
import dev.damask.api.Role;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Clients that send without an end: each byte comes, the request does not.
@Timeout(60)
final class SlowClientsTest {
  private static final Duration HEAD = Duration.ofSeconds(2);
  private static final Duration BODY = Duration.ofMillis(700);

  private ServedEngine served;
  private DamaskServer server;
  private String admin;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
    Tokens tokens = new Tokens(Clock.systemUTC());
    admin = tokens.issue(Caller.of("anna", Role.ADMIN));
    server =
        DamaskServer.start(
            served.engine,
            ServerOptions.defaults()
                .withPort(0)
                .withTokens(tokens)
                .withLimits(new ServerOptions.Limits(0, 100, 10, HEAD, BODY)));
  }

  @AfterEach
  void close() {
    server.close();
    served.close();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(20_000);
    return socket;
  }

  private static void write(Socket socket, String text) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  private String head(String more) {
    return "POST /v1/cases/order-1/signal HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
        + admin
        + "\r\nContent-Type: application/json\r\n"
        + more
        + "\r\n";
  }

  private static String firstLine(Socket socket) throws IOException {
    String line =
        new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))
            .readLine();
    return line == null ? "" : line;
  }

  /// Sends a piece now and then until the server closes the connection, and returns whether it did.
  private static boolean isClosed(Socket socket, String piece, int times) {
    try {
      for (int i = 0; i < times; i++) {
        write(socket, piece);
        if (socket.getInputStream().available() > 0) {
          return true;
        }
        LockSupport.parkNanos(20_000_000);
      }
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /// Nothing is closed while the server works, so the clock is the test's own.
  @Test
  void only_waits_for_the_client_are_measured() {
    AtomicLong now = new AtomicLong(5);
    ConnectionTimes times = new ConnectionTimes(now::get);
    now.set(105);
    assertThat(times.waited()).isEqualTo(Duration.ofNanos(100));

    times.works();
    now.set(1_000_000);
    assertThat(times.waited()).isZero();

    times.waits();
    now.addAndGet(7);
    assertThat(times.waited()).isEqualTo(Duration.ofNanos(7));
  }

  @Test
  void a_head_that_comes_byte_by_byte_ends_the_connection() throws IOException {
    try (Socket socket = connect()) {
      write(socket, "GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ");

      assertThat(isClosed(socket, "a", 1_000)).isTrue();
    }
    assertThat(server.port()).isPositive();
  }

  @Test
  void a_body_that_comes_byte_by_byte_is_refused_after_its_time() throws IOException {
    try (Socket socket = connect()) {
      write(socket, head("Content-Length: 100000\r\n") + "{");

      assertThat(isClosed(socket, " ", 1_000)).isTrue();
      assertThat(firstLine(socket)).contains(" 408 ");
    }
  }

  @Test
  void chunks_without_an_end_are_refused() throws IOException {
    String chunk = "10000\r\n" + " ".repeat(0x10000) + "\r\n";
    try (Socket socket = connect()) {
      write(socket, head("Transfer-Encoding: chunked\r\n"));
      boolean isClosed = false;
      long sent = 0;
      try {
        while (!isClosed && sent < 40L * Dispatcher.BODY_MAX) {
          write(socket, chunk);
          sent += 0x10000;
          isClosed = socket.getInputStream().available() > 0;
        }
      } catch (IOException e) {
        isClosed = true;
      }

      assertThat(isClosed).isTrue();
    }
  }

  @Test
  void a_compressed_body_is_refused_and_not_expanded() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
      byte[] zeros = new byte[1 << 20];
      for (int i = 0; i < 8; i++) {
        zip.write(zeros);
      }
    }
    try (Socket socket = connect()) {
      write(
          socket,
          head("Content-Encoding: gzip\r\nContent-Length: " + bytes.size() + "\r\n")
              + bytes.toString(StandardCharsets.ISO_8859_1));

      assertThat(firstLine(socket)).containsPattern(" 4(00|15) ");
    }
  }

  @Test
  void a_stream_lives_longer_than_a_connection_may_wait() throws IOException {
    try (Socket socket = connect()) {
      write(
          socket,
          "GET /v1/cases/order-2/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
              + admin
              + "\r\n\r\n");
      BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      String line = lines.readLine();
      long end = System.nanoTime() + 2 * HEAD.toNanos();
      while (System.nanoTime() < end) {
        LockSupport.parkNanos(50_000_000);
      }
      var _ = served.engine.cancel("order-2");
      while (line != null && !line.contains("CANCELLED")) {
        line = lines.readLine();
      }

      assertThat(line).contains("order-2");
    }
  }
}

package dev.damask.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A server of a few lines: it remembers who asked, and sends the same answer to all, by default
/// `{"ok": true}`, or nothing at all, or what a function returns.
final class StubServer implements AutoCloseable {
  /// @param key what the header `Idempotency-Key` said
  record Seen(String path, String key) {}

  private final ServerSocket listener;
  private final Predicate<Seen> answers;
  private final Function<Seen, String> answer;
  private final List<Seen> seen = new CopyOnWriteArrayList<>();

  /// @param answers whether a request is answered; one that is not stays open
  StubServer(Predicate<Seen> answers) throws IOException {
    this(answers, "200 OK", "{\"ok\": true}");
  }

  /// @param body ASCII
  StubServer(Predicate<Seen> answers, String status, String body) throws IOException {
    this(answers, _ -> http(status, "application/json", body));
  }

  private StubServer(Predicate<Seen> answers, Function<Seen, String> answer) throws IOException {
    this.answer = answer;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.answers = answers;
    Thread.ofVirtual().start(this::accept);
  }

  /// Returns a server that answers as a Damask server does.
  ///
  /// @param bodies returns an ASCII body for a path; null for what does not exist
  static StubServer damask(Function<String, @Nullable String> bodies) throws IOException {
    return new StubServer(
        _ -> true,
        seen -> {
          String body = bodies.apply(seen.path());
          return body == null
              ? http("404 Not Found", "application/problem+json", "{\"detail\": \"unknown\"}")
              : http("200 OK\r\ncache-control: no-store", "application/json", body);
        });
  }

  private static String http(String status, String type, String body) {
    return "HTTP/1.1 %s\r\ncontent-type: %s\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s"
        .formatted(status, type, body.length(), body);
  }

  String place() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  List<Seen> seen() {
    return List.copyOf(seen);
  }

  private void accept() {
    while (true) {
      try {
        Socket socket = listener.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (SocketException e) {
        return; // closed
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void serve(Socket socket) {
    try {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
      String path = in.readLine().split(" ", 3)[1];
      String key = "";
      for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
        if (line.toLowerCase(Locale.ROOT).startsWith("idempotency-key: ")) {
          key = line.substring("idempotency-key: ".length());
        }
      }
      Seen request = new Seen(path, key);
      seen.add(request);
      if (answers.test(request)) {
        socket.getOutputStream().write(answer.apply(request).getBytes(StandardCharsets.ISO_8859_1));
        socket.close();
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}

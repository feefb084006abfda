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
import java.util.function.Predicate;

/// A server of a few lines: it remembers who asked, and sends the same answer to all, by default
/// `{"ok": true}`, or nothing at all.
final class StubServer implements AutoCloseable {
  /// @param key what the header `Idempotency-Key` said
  record Seen(String path, String key) {}

  private final ServerSocket listener;
  private final Predicate<Seen> answers;
  private final String answer;
  private final List<Seen> seen = new CopyOnWriteArrayList<>();

  /// @param answers whether a request is answered; one that is not stays open
  StubServer(Predicate<Seen> answers) throws IOException {
    this(answers, "200 OK", "{\"ok\": true}");
  }

  /// @param body ASCII
  StubServer(Predicate<Seen> answers, String status, String body) throws IOException {
    this.answer =
        "HTTP/1.1 %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
            .formatted(status, body.length(), body);
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.answers = answers;
    Thread.ofVirtual().start(this::accept);
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
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
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

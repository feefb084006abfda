package dev.damask.session;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/// A server on this machine that answers as a test says.
final class StubServer implements AutoCloseable {
  /// The heads of the requests it got.
  final List<String> heads = new CopyOnWriteArrayList<>();

  private final ServerSocket socket;

  /// Starts it.
  ///
  /// @param answers makes a whole answer from the first line of a request
  StubServer(UnaryOperator<String> answers) throws IOException {
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(() -> serve(answers)); // ends when the socket is closed
  }

  private void serve(UnaryOperator<String> answers) {
    while (!socket.isClosed()) {
      try (Socket client = socket.accept()) {
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder head = new StringBuilder();
        String first = in.readLine();
        for (String line = first; line != null && !line.isEmpty(); line = in.readLine()) {
          head.append(line).append('\n');
        }
        heads.add(head.toString());
        client
            .getOutputStream()
            .write(answers.apply(first == null ? "" : first).getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        if (!socket.isClosed()) {
          heads.add("broken: " + e.getMessage());
        }
      }
    }
  }

  static String ok(String body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: "
        + body.getBytes(StandardCharsets.UTF_8).length
        + "\r\n\r\n"
        + body;
  }

  int port() {
    return socket.getLocalPort();
  }

  String host() {
    return "127.0.0.1:" + port();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

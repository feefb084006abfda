package dev.damask.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/// A server that says everything it heard once more: in a header, in the reason of its status and
/// in the body. A path that begins with `/bad` is an error.
final class EchoServer implements AutoCloseable {
  private final ServerSocket listener;
  private final List<String> heard = new CopyOnWriteArrayList<>();

  EchoServer() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  String place() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /// Each request, whole.
  List<String> heard() {
    return List.copyOf(heard);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try (Socket socket = listener.accept()) {
        serve(socket);
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  private void serve(Socket socket) throws IOException {
    BufferedReader in =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
    StringBuilder request = new StringBuilder();
    int length = 0;
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      request.append(line).append(' ');
      if (line.toLowerCase(Locale.ROOT).startsWith("content-length: ")) {
        length = Integer.parseInt(line.substring("content-length: ".length()));
      }
    }
    for (int i = 0; i < length; i++) {
      request.append((char) in.read());
    }
    heard.add(request.toString());
    String status = request.indexOf(" /bad") > 0 ? "500 " : "200 ";
    String answer =
        "HTTP/1.1 "
            + status
            + request
            + "\r\nx-heard: "
            + request
            + "\r\ncontent-type: text/plain\r\ncontent-length: "
            + request.length()
            + "\r\nconnection: close\r\n\r\n"
            + request;
    socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}

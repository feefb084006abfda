package dev.damask.benchmarks;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/// One connection of a load generator to a server on this machine. Used by one thread at a time.
final class LoadConnection implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final String token;

  LoadConnection(int port, String token) throws IOException {
    this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    this.in = new BufferedInputStream(socket.getInputStream(), 16_384);
    this.out = socket.getOutputStream();
    this.token = token;
  }

  /// Sends a request and reads its response; returns the body. Throws if the status is not 2xx.
  String send(String method, String path, String body) throws IOException {
    write(method, path, body);
    String status = line();
    int length = 0;
    for (String header = line(); !header.isEmpty(); header = line()) {
      if (header.regionMatches(true, 0, "content-length:", 0, 15)) {
        length = Integer.parseInt(header.substring(15).strip());
      }
    }
    String text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    if (!status.contains(" 20")) {
      throw new IOException(path + ": " + status + " " + text);
    }
    return text;
  }

  /// Opens a stream of events and reads until it has begun.
  void stream(String path) throws IOException {
    write("GET", path, "");
    while (!line().startsWith("retry:")) {
      // the header and the size of the first chunk
    }
  }

  /// Reads the next line of a stream.
  String line() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new IOException("the server has closed the connection");
      }
      if (next != '\r') {
        text.append((char) next);
      }
    }
    return text.toString();
  }

  private void write(String method, String path, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    String head =
        "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n"
                .formatted(method, path, token)
            + (bytes.length == 0
                ? "\r\n"
                : "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                    .formatted(bytes.length))
            + body;
    out.write(head.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

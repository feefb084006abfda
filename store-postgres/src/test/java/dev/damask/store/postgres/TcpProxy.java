package dev.damask.store.postgres;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/// A proxy in front of the server that cuts connections at chosen moments of the protocol. It
/// counts messages, not bytes, so that every moment between two messages can be chosen.
final class TcpProxy implements AutoCloseable {
  /// When to cut.
  enum Cut {
    /// Before a message of the client reaches the server.
    BEFORE_REQUEST,
    /// After the server has got a message of the client, without waiting for its answer.
    AFTER_REQUEST,
    /// After the server has answered, before the client gets the answer.
    BEFORE_ANSWER
  }

  private static final int TYPE_AND_LENGTH = 5;

  private final String host;
  private final int port;
  private final ServerSocket door;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final AtomicInteger requests = new AtomicInteger();
  private volatile int cutAt = -1; // written by the test's thread
  private volatile Cut cut = Cut.BEFORE_REQUEST; // as above
  private volatile boolean isCutting; // written by the thread that cuts

  TcpProxy(String host, int port) {
    this.host = host;
    this.port = port;
    try {
      this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return door.getLocalPort();
  }

  /// Cuts the connection at a message of a client, counted from now; messages of the start-up do
  /// not count. Negative numbers cut nothing.
  void cutAt(int message, Cut when) {
    requests.set(0);
    isCutting = false;
    cut = when;
    cutAt = message;
  }

  /// Returns how many messages clients have sent since [#cutAt].
  int requests() {
    return requests.get();
  }

  boolean hasCut() {
    return isCutting;
  }

  private volatile boolean isAway; // written by the test's thread

  private volatile Predicate<String> watcher = _ -> false; // written by the test's thread

  /// Shows each message of a client to a predicate before it is passed on; a message for which it
  /// is true is lost.
  void watch(Predicate<String> loses) {
    watcher = loses;
  }

  private volatile boolean isFrozen; // written by the test's thread

  /// Passes nothing on any more and keeps the connections: a node that is cut off or paused.
  void freeze() {
    isFrozen = true;
  }

  /// Cuts all connections and accepts none.
  void cutAll() {
    isAway = true;
    sockets.forEach(TcpProxy::close);
  }

  /// Accepts connections again.
  void restore() {
    isAway = false;
  }

  /// Cuts the connections that were frozen, and passes on everything of new ones.
  void thaw() {
    if (isFrozen) {
      isFrozen = false;
      sockets.forEach(TcpProxy::close);
    }
    isAway = false;
    cutAt = -1;
  }

  private void accept() {
    while (true) {
      try {
        Socket client = door.accept();
        if (isAway) {
          client.close();
          continue;
        }
        Socket server = new Socket(host, port);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        Link link = new Link(client, server);
        Thread.ofVirtual().start(link::requests);
        Thread.ofVirtual().start(link::answers);
      } catch (IOException e) {
        return; // the proxy was closed
      }
    }
  }

  /// One connection.
  private final class Link {
    private final Socket client;
    private final Socket server;
    private volatile boolean dropsAnswers; // written by the thread of the requests

    Link(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    void requests() {
      try {
        InputStream in = client.getInputStream();
        OutputStream out = server.getOutputStream();
        byte[] startup = message(in, 0);
        out.write(startup);
        out.flush();
        boolean isStarted = false;
        while (true) {
          byte[] message = message(in, 1);
          isStarted |= message[0] != 'p'; // passwords belong to the start
          if (isFrozen || watcher.test(new String(message, StandardCharsets.ISO_8859_1))) {
            continue;
          }
          if (isStarted && requests.getAndIncrement() == cutAt) {
            cut(out, message);
          } else {
            out.write(message);
            out.flush();
          }
        }
      } catch (IOException e) {
        close(client, server);
      }
    }

    private void cut(OutputStream out, byte[] message) throws IOException {
      isCutting = true;
      if (cut == Cut.BEFORE_REQUEST) {
        close(client, server);
        return;
      }
      dropsAnswers = true;
      out.write(message);
      if (cut == Cut.BEFORE_ANSWER) {
        out.write(new byte[] {'S', 0, 0, 0, 4}); // Sync makes the server finish and answer
      }
      out.flush();
      if (cut == Cut.AFTER_REQUEST) {
        close(client, server);
      }
    }

    void answers() {
      try {
        InputStream in = server.getInputStream();
        OutputStream out = client.getOutputStream();
        byte[] buffer = new byte[8_192];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          if (dropsAnswers) {
            if (contains(buffer, read, 'Z')) {
              break; // the server is ready for more: it has finished the message
            }
          } else {
            out.write(buffer, 0, read);
            out.flush();
          }
        }
        close(client, server);
      } catch (IOException e) {
        close(client, server);
      }
    }
  }

  private static boolean contains(byte[] bytes, int length, char letter) {
    for (int i = 0; i < length; i++) {
      if (bytes[i] == letter) {
        return true;
      }
    }
    return false;
  }

  /// Reads one message of the client.
  ///
  /// @param prefix the number of bytes before the length
  private static byte[] message(InputStream in, int prefix) throws IOException {
    byte[] head = in.readNBytes(prefix + TYPE_AND_LENGTH - 1);
    if (head.length < prefix + TYPE_AND_LENGTH - 1) {
      throw new IOException("the client is gone");
    }
    int length = 0;
    for (int i = prefix; i < head.length; i++) {
      length = (length << Byte.SIZE) | (head[i] & 0xff);
    }
    byte[] body = in.readNBytes(length - Integer.BYTES);
    byte[] all = new byte[head.length + body.length];
    System.arraycopy(head, 0, all, 0, head.length);
    System.arraycopy(body, 0, all, head.length, body.length);
    return all;
  }

  private static void close(Closeable... all) {
    for (Closeable each : all) {
      try {
        each.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void close() {
    close(door);
    sockets.forEach(TcpProxy::close);
  }
}

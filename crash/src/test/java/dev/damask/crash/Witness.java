package dev.damask.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// The other side of every effect, in a process of its own that nobody kills. It writes down each
/// call, syncs, and only then answers.
final class Witness {
  private static final int WAITING_MAX = 256;

  private final FileChannel ledger;

  private Witness(FileChannel ledger) {
    this.ledger = ledger;
  }

  /// Tells on which port it listens, and lives until its standard input ends.
  public static void main(String[] arguments) throws IOException {
    try (FileChannel ledger =
            FileChannel.open(
                Path.of(arguments[0]), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        ServerSocket server = new ServerSocket(0, WAITING_MAX, InetAddress.getLoopbackAddress())) {
      Witness witness = new Witness(ledger);
      Thread.ofVirtual().start(() -> witness.listen(server));
      System.out.println(server.getLocalPort());
      while (System.in.read() >= 0) {
        // whoever started it is still there
      }
    }
    System.exit(0);
  }

  private void listen(ServerSocket server) {
    while (!server.isClosed()) {
      try {
        Socket caller = server.accept();
        Thread.ofVirtual().start(() -> answer(caller));
      } catch (IOException e) {
        System.err.println("nobody can call any more: " + e);
        return;
      }
    }
  }

  private void answer(Socket caller) {
    try (caller;
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(caller.getInputStream(), StandardCharsets.UTF_8));
        OutputStream out = caller.getOutputStream()) {
      String line = in.readLine();
      if (line != null) {
        write(Ledger.Entry.parse(line));
        out.write("done\n".getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      System.err.println("a caller has gone: " + e); // it was killed; what it asked for is written
    }
  }

  private synchronized void write(Ledger.Entry entry) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap((entry.line() + "\n").getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      ledger.write(bytes);
    }
    ledger.force(false);
  }

  /// Calls the witness, from the process under test.
  static void call(int port, Ledger.Entry entry) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
      socket.getOutputStream().write((entry.line() + "\n").getBytes(StandardCharsets.UTF_8));
      String answer = in.readLine();
      if (!"done".equals(answer)) {
        throw new IOException("the witness said " + answer);
      }
    }
  }
}

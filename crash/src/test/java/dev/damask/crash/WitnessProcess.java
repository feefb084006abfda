package dev.damask.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// The witness, as the test that started it sees it.
final class WitnessProcess implements AutoCloseable {
  private final Path file;
  private final Process process;
  private final int port;

  WitnessProcess(Path folder) {
    this.file = folder.resolve("ledger.txt");
    this.process = Java.start(List.of(), folder, Witness.class.getName(), file.toString());
    try {
      // Not closed: closing would tell it to end.
      BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
      this.port = Integer.parseInt(String.valueOf(said.readLine()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return port;
  }

  /// Everything it has seen so far.
  Ledger ledger() {
    return Ledger.read(file);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}

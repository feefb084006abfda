package dev.damask.examples.order;

import dev.damask.value.Context;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The outside of the example: payments, stock and shipping, which remember what they did in a
/// folder of their own. Asked twice for the same thing, they do it once, as every service should
/// that is called at least once.
final class Shop {
  /// What the operating system says of a process that was killed.
  private static final int KILLED = 137;

  private final Path folder;
  private final boolean crashes;

  Shop(Path folder, boolean crashes) throws IOException {
    this.folder = Files.createDirectories(folder);
    this.crashes = crashes;
  }

  Map<String, Object> charge(Context context) throws IOException {
    return Map.of("payment", once("charged " + context.get("price")));
  }

  Map<String, Object> refund(Context context) throws IOException {
    return Map.of("refund", once("refunded " + context.get("price")));
  }

  Map<String, Object> reserve(Context context) throws IOException {
    return Map.of("shelf", once("reserved " + context.get("item")));
  }

  Map<String, Object> release(Context context) throws IOException {
    return Map.of("released", once("released " + context.get("item")));
  }

  Map<String, Object> ship(Context context) throws IOException {
    String parcel = once("shipped " + context.get("item"));
    if (crashes) {
      Runtime.getRuntime().halt(KILLED); // it has happened, and nobody will hear of it
    }
    return Map.of("parcel", parcel);
  }

  private String once(String deed) throws IOException {
    Path file = folder.resolve(deed);
    if (Files.exists(file)) {
      return deed + ", as before";
    }
    Files.createFile(file);
    return deed;
  }

  /// Everything that was done, in the order of the alphabet.
  List<String> deeds() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  void print(PrintStream out) throws IOException {
    deeds().forEach(deed -> out.println("  " + deed));
  }
}

package dev.damask.examples.order;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The outside of the example: payments, stock and shipping, which remember what they did in a
/// directory of their own. Asked twice for the same thing, they do it once, as every service should
/// that is called at least once.
final class Shop {
  /// The exit code that the operating system reports for a killed process.
  private static final int KILLED = 137;

  private final Path folder;
  private final boolean crashes;

  Shop(Path folder, boolean crashes) throws IOException {
    this.folder = Files.createDirectories(folder);
    this.crashes = crashes;
  }

  /// A charge of the customer's account.
  record Payment(String text) {}

  /// A place in the store where the goods are kept.
  record Shelf(String text) {}

  /// Who decided about the order.
  record Decision(String by) {}

  /// What was sent.
  ///
  /// @param approvedBy who approved the order
  record Parcel(String text, String approvedBy) {}

  Payment charge(Order order) throws IOException {
    return new Payment(once("charged " + order.price()));
  }

  void refund(Order order) throws IOException {
    once("refunded " + order.price());
  }

  Shelf reserve(Order order) throws IOException {
    return new Shelf(once("reserved " + order.item()));
  }

  void release(Order order) throws IOException {
    once("released " + order.item());
  }

  Parcel ship(Order order, Decision decision) throws IOException {
    String parcel = once("shipped " + order.item());
    if (crashes) {
      Runtime.getRuntime().halt(KILLED); // the parcel is sent, and the engine is not notified
    }
    return new Parcel(parcel, decision.by());
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

package dev.damask.examples.order;

import dev.damask.effect.EffectCall;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/// The outside of the example: payments, stock and shipping, which remember what they did in a
/// directory of their own, with the idempotency key of the call. Asked twice with the same key,
/// they do it once, as every service should that is called at least once.
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

  Payment charge(Order order, EffectCall call) throws IOException {
    return new Payment(once("charged " + order.price(), call));
  }

  void refund(Order order, EffectCall call) throws IOException {
    once("refunded " + order.price(), call);
  }

  Shelf reserve(Order order, EffectCall call) throws IOException {
    return new Shelf(once("reserved " + order.item(), call));
  }

  void release(Order order, EffectCall call) throws IOException {
    once("released " + order.item(), call);
  }

  Parcel ship(Order order, Decision decision, EffectCall call) throws IOException {
    String parcel = once("shipped " + order.item(), call);
    if (crashes) {
      Runtime.getRuntime().halt(KILLED); // the parcel is sent, and the engine is not notified
    }
    return new Parcel(parcel, decision.by());
  }

  private String once(String deed, EffectCall call) throws IOException {
    Path file = folder.resolve(deed);
    try {
      Files.writeString(file, call.key(), StandardOpenOption.CREATE_NEW);
      return deed;
    } catch (FileAlreadyExistsException e) {
      if (Files.readString(file).equals(call.key())) {
        return deed + ", as before";
      }
      throw new IOException(deed + " for another order", e);
    }
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

package dev.damask.examples.orders;

import dev.damask.effect.EffectCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

/// The services that an order needs. Each remembers in a file what it did for a key, so that a
/// repeated call does nothing: the engine calls again after a crash, with the same key.
@Service
public class OrderDesk {
  private final Path directory;

  /// Creates the services.
  ///
  /// @param directory where they remember what they did
  public OrderDesk(@Value("${shop.directory:shop}") Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
  }

  /// A payment of the customer.
  public record Payment(int cents) {}

  /// Somebody approved the order.
  public record Approval(String by) {}

  /// What was sent.
  public record Parcel(String item, String approvedBy) {}

  Payment charge(PlacedOrder order, EffectCall call) throws IOException {
    once(call, "charged " + order.price());
    return new Payment(order.price());
  }

  void refund(Payment payment, EffectCall call) throws IOException {
    once(call, "refunded " + payment.cents());
  }

  Parcel ship(PlacedOrder order, Approval approval, EffectCall call) throws IOException {
    once(call, "shipped " + order.item());
    return new Parcel(order.item(), approval.by());
  }

  private void once(EffectCall call, String what) throws IOException {
    Path file = directory.resolve(call.key().replace(':', '-'));
    Files.writeString(file, what);
  }

  /// Returns everything that was done.
  public List<String> done() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(OrderDesk::read).sorted().toList();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}

package dev.damask.examples.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.examples.Expected;
import dev.damask.examples.Jvm;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class OrderExampleTest {
  @TempDir Path folder;

  private Shop shop() throws Exception {
    return new Shop(folder.resolve("shop"), false);
  }

  @Test
  void an_approved_order_is_shipped() throws Exception {
    Expected.compare(
        "order-approved.txt", out -> OrderExample.run(folder, "approved", shop(), out));
  }

  @Test
  void a_rejected_order_is_undone() throws Exception {
    Expected.compare(
        "order-rejected.txt", out -> OrderExample.run(folder, "rejected", shop(), out));
  }

  @Test
  void an_order_that_died_while_it_was_shipped_goes_on_and_does_nothing_twice() throws Exception {
    Jvm crashed = Jvm.run(OrderExample.class, folder.toString(), "approved", "crash");
    assertThat(crashed.out()).isEmpty();
    assertThat(crashed.exit()).isEqualTo(137);
    assertThat(shop().deeds()).containsExactly("charged 42", "reserved loom", "shipped loom");

    Jvm again = Jvm.run(OrderExample.class, folder.toString(), "approved");

    Path expected = Path.of("src/test/resources/dev/damask/examples/order-approved.txt");
    assertThat(again.out()).isEqualTo(Files.readString(expected));
    assertThat(again.exit()).isZero();
  }
}

package dev.damask.examples.vendingmachine;

import dev.damask.examples.Expected;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class VendingMachineExampleTest {
  @Test
  void it_prints_what_it_should() throws Exception {
    Expected.compare("vendingmachine.txt", VendingMachineExample::run);
  }
}

package dev.damask.examples.discriminator;

import dev.damask.examples.Expected;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class DiscriminatorExampleTest {
  @Test
  void it_prints_what_it_should() throws Exception {
    Expected.compare("discriminator.txt", DiscriminatorExample::run);
  }
}

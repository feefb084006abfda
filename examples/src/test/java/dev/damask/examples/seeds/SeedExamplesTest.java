package dev.damask.examples.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.examples.Expected;
import dev.damask.testkit.Scenarios;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class SeedExamplesTest {
  private static final Path DOCUMENTS = Path.of("documents/seeds");

  @Test
  void they_print_what_they_should() throws Exception {
    Expected.compare("seeds.txt", SeedExamples::run);
  }

  @Test
  void each_of_them_is_also_a_document_with_a_scenario() {
    for (String name :
        List.of("sequence", "parallel", "loop", "cancel", "order", "email", "payment")) {
      assertThat(DOCUMENTS.resolve(name + ".yaml")).satisfies(Files::exists);
      assertThat(DOCUMENTS.resolve(name + ".scenario.yaml")).satisfies(Files::exists);
    }
  }

  @TestFactory
  Stream<? extends DynamicNode> documents() {
    return Scenarios.tests(DOCUMENTS);
  }
}

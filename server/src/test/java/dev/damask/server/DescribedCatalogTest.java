package dev.damask.server;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Catalog;
import dev.damask.api.Sources;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.program.ProgramHash;
import dev.damask.store.MemoryStore;
import dev.damask.value.Context;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Workflows in Java whose code the server does not have.
@Timeout(30)
final class DescribedCatalogTest {
  @Test
  void the_catalogue_knows_a_workflow_by_its_description_with_its_redacted_keys() {
    MemoryStore store = new MemoryStore();
    EngineOptions options = EngineOptions.defaults().withShards(1);
    var plain = workflow("order", effect("pack"), effect("ship"));
    var order = plain.withDeclared(plain.declared().withRedacted("iban"));
    ProgramHash program;
    try (Engine engine = Engine.open(options, store, order)) {
      program = engine.start(order, "one", Context.empty()).status().program();
    }

    try (Engine engine = Engine.open(options, store.reopened())) {
      Catalog catalog = new Catalog(engine);

      assertThat(catalog.sources("order", program).elements())
          .extracting(Sources.Element::name)
          .contains("pack", "ship");
      assertThat(catalog.redacted("order")).containsExactly("iban");
    }
  }
}

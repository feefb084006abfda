package dev.damask.server;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.program.ProgramHash;
import dev.damask.server.ServedEngine.Answer;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Migration over HTTP of a workflow in Java whose old version exists as a description only.
@Timeout(30)
final class DescribedMigrationRoutesTest {
  private static final WorkflowDefinition NEXT =
      workflow("parcel", effect("pack", _ -> EffectSpec.of("pack"), null), effect("ship"));

  private final MemoryStore store = new MemoryStore();

  private ProgramHash oldCase() {
    var first = workflow("parcel", effect("pack", _ -> EffectSpec.of("pack"), null));
    EngineOptions options = EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(20));
    try (Engine engine = Engine.open(options, store, first)) {
      return engine.start(first, "one", Context.empty()).status().program();
    }
  }

  private static Answer migration(ServedEngine served, Object from, Object to, boolean isDry) {
    String body = "{\"from\":\"" + from + "\",\"to\":\"" + to + "\",\"dryRun\":" + isDry + "}";
    return served.post(served.admin, "/v1/workflows/parcel/migration", body);
  }

  @Test
  void a_dry_run_reads_the_description_and_registers_nothing() {
    ProgramHash old = oldCase();
    Store reopened = store.reopened();
    try (ServedEngine served = ServedEngine.on(reopened)) {
      served.engine.register(NEXT);
      ProgramHash next = served.engine.current("parcel").orElseThrow().hash();

      Answer dry = migration(served, old, next, true);

      assertThat(dry.status()).as(dry.text()).isEqualTo(200);
      assertThat(dry.at("possible")).as(dry.text()).isEqualTo(1L);
      assertThat(served.engine.current("parcel").orElseThrow().hash()).isEqualTo(next);
      assertThat(served.engine.missingPrograms()).hasSize(1);
      assertThat(served.engine.status("one").program()).isEqualTo(old);
    }
  }

  @Test
  void a_case_moves_to_a_version_with_code_and_never_to_a_description() {
    ProgramHash old = oldCase();
    try (ServedEngine served = ServedEngine.on(store.reopened())) {
      served.engine.register(NEXT);
      ProgramHash next = served.engine.current("parcel").orElseThrow().hash();

      Answer there =
          served.post(served.admin, "/v1/cases/one/migrate", "{\"to\":\"" + next + "\"}");
      Answer back = served.post(served.admin, "/v1/cases/one/migrate", "{\"to\":\"" + old + "\"}");
      Answer all = migration(served, next, old, false);

      assertThat(there.status()).as(there.text()).isEqualTo(200);
      assertThat(back.status()).isEqualTo(409);
      assertThat(back.text()).contains("register its workflow before cases are moved to it");
      assertThat(migration(served, next, old, true).at("possible")).isEqualTo(1L);
      assertThat(all.status()).as(all.text()).isEqualTo(409);
      assertThat(served.engine.current("parcel").orElseThrow().hash()).isEqualTo(next);
    }
  }
}

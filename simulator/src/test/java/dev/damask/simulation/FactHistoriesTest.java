package dev.damask.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.attribute.CaseFacts;
import dev.damask.store.CaseCommit;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.testkit.ForwardingStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random histories of cases with attributes in memory.
@Timeout(120)
final class FactHistoriesTest {
  @Test
  void the_index_in_memory_answers_as_a_scan_does() {
    for (long seed = 0; seed < 40; seed++) {
      MemoryStore store = new MemoryStore();
      FactHistories.check(seed, () -> store.reopened());
    }
  }

  @Test
  void a_store_that_loses_what_a_case_waits_for_is_found() {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < 40; seed++) {
                MemoryStore store = new MemoryStore();
                FactHistories.check(seed, () -> forgetful(store.reopened()));
              }
            })
        .isInstanceOf(InvariantViolation.class)
        .hasMessageContaining("seed");
  }

  /// A store whose records have no waits.
  private static Store forgetful(MemoryStore store) {
    return new ForwardingStore(store) {
      @Override
      public CompletableFuture<Void> commit(CommitBatch batch) {
        List<CaseCommit> cases =
            batch.cases().stream()
                .map(each -> {
                  CaseFacts facts = each.record().facts().withWaits(List.of());
                  return new CaseCommit(
                      each.record().withFacts(facts),
                      each.state(),
                      each.consumed(),
                      each.receipts(),
                      each.intentsAdded(),
                      each.intentsRemoved(),
                      each.keys(),
                      each.journal(),
                      each.trace(),
                      each.traceDropped(),
                      true);
                })
                .toList();
        assertThat(cases).hasSameSizeAs(batch.cases());
        return super.commit(
            new CommitBatch(cases, batch.programs(), batch.removals(), batch.rows()));
      }
    };
  }
}

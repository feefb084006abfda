package dev.damask.testkit;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.Actor;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// An entry of the audit log and the change that it is about are one commit.
@Timeout(30)
final class AuditCommitTest {
  private final List<CommitBatch> batches = new CopyOnWriteArrayList<>();

  private static WorkflowDefinition order() {
    return workflow("order", take("go"), effect("pack")).withPlaces(Place.external("go"));
  }

  @Test
  void the_entry_is_part_of_the_commit_that_makes_the_change() {
    ForwardingStore watched =
        new ForwardingStore(new MemoryStore()) {
          @Override
          public CompletableFuture<Void> commit(CommitBatch batch) {
            batches.add(batch);
            return super.commit(batch);
          }

          @Override
          public CompletableFuture<Void> commitHere(CommitBatch batch) {
            return commit(batch);
          }
        };
    try (Engine engine = Engine.open(EngineOptions.defaults(), watched, order())) {
      engine.start(order(), "one", Context.empty());
      batches.clear();
      engine.as(Actor.named("ann"), e -> e.signal("one", "go", Map.of()));

      List<CommitBatch> audited = batches.stream().filter(each -> !each.audit().isEmpty()).toList();
      assertThat(audited).hasSize(1);
      assertThat(audited.getFirst().cases()).hasSize(1);
      assertThat(audited.getFirst().cases().getFirst().record().revision()).isEqualTo(2);
    }
  }
}

package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.Actor;
import dev.damask.caller.CaseReply;
import dev.damask.caller.SignalOptions;
import dev.damask.caller.StaleRevisionException;
import dev.damask.event.Reply;
import dev.damask.store.MemoryStore;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Changes that require a revision of their case.
@Timeout(30)
final class RequiredRevisionTest {
  private static final Actor ANNA = Actor.named("anna");

  private static final WorkflowDefinition WAITING =
      workflow("waiting", defer(on("end", skip())))
          .withPlaces(Place.external("end"), Place.external("more"));

  private final Engine engine =
      Engine.open(EngineOptions.defaults().withShards(1), new MemoryStore(), WAITING);

  @BeforeEach
  void start() {
    engine.start(WAITING, "c", Context.empty());
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private long revision() {
    return engine.record("c").orElseThrow().revision();
  }

  private CaseReply signal(Actor actor) {
    return engine.as(actor, own -> own.signal("c", "more", Map.of()));
  }

  @Test
  void a_change_is_applied_if_the_case_has_the_required_revision_and_refused_otherwise() {
    long seen = revision();

    CaseReply first = signal(ANNA.onlyAt(seen));

    assertThat(first.revision()).isGreaterThan(seen);
    assertThatThrownBy(() -> signal(ANNA.onlyAt(seen)))
        .isInstanceOf(StaleRevisionException.class)
        .hasMessage(
            "case c: it has revision %d, the request requires %d; read the case again"
                .formatted(first.revision(), seen));
    assertThat(revision()).isEqualTo(first.revision());
    assertThat(engine.audit().list("", 10).getLast().entry().outcome()).isEqualTo("refused");
  }

  @Test
  void of_changes_that_require_the_same_revision_at_the_same_time_one_is_applied()
      throws InterruptedException {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int round = 0; round < 50; round++) {
        long seen = revision();
        CompletableFuture<Boolean> go = new CompletableFuture<>();
        List<Future<CaseReply>> all = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
          all.add(
              threads.submit(() -> {
                go.join();
                return signal(ANNA.onlyAt(seen));
              }));
        }

        go.complete(true);

        int applied = 0;
        for (Future<CaseReply> each : all) {
          try {
            assertThat(each.get().kind()).isEqualTo(Reply.BUFFERED);
            applied++;
          } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(StaleRevisionException.class);
          }
        }
        assertThat(applied).isEqualTo(1);
        assertThat(revision()).isEqualTo(seen + 1);
      }
    }
  }

  @Test
  void a_message_that_was_consumed_is_answered_again_whatever_revision_it_requires() {
    Actor actor = ANNA.onlyAt(revision());
    SignalOptions message = SignalOptions.NONE.withMessageId("m");
    CaseReply first = engine.as(actor, own -> own.signal("c", "more", Map.of(), message));

    CaseReply again = engine.as(actor, own -> own.signal("c", "more", Map.of(), message));

    assertThat(again.kind()).isEqualTo(first.kind());
  }

  @Test
  void pausing_resuming_and_deleting_compare_the_revision_too() {
    long seen = revision();
    Actor stale = ANNA.onlyAt(seen);

    engine.as(ANNA.onlyAt(seen), own -> own.pause("c", "a test"));

    assertThatThrownBy(() -> engine.as(stale, own -> own.resume("c")))
        .isInstanceOf(StaleRevisionException.class);
    assertThatThrownBy(() -> signal(stale)).isInstanceOf(StaleRevisionException.class);
    engine.as(ANNA.onlyAt(revision()), own -> own.resume("c"));
    engine.cancel("c");
    assertThatThrownBy(() -> engine.as(stale, own -> own.delete("c")))
        .isInstanceOf(StaleRevisionException.class);
    boolean isDeleted = engine.as(ANNA.onlyAt(revision()), own -> own.delete("c"));
    assertThat(isDeleted).isTrue();
  }
}

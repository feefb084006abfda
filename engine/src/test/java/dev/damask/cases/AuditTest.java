package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.Actor;
import dev.damask.clock.VirtualClock;
import dev.damask.ops.AuditLog;
import dev.damask.store.AuditEntry;
import dev.damask.store.AuditRecord;
import dev.damask.store.MemoryStore;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Who did what to which case.
@Timeout(30)
final class AuditTest {
  private static final Actor ANN = Actor.named("ann").because("ticket 7");

  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000_000);

  private EngineOptions options() {
    return EngineOptions.defaults().withShards(2).withClock(clock).withGrace(Duration.ZERO);
  }

  private static WorkflowDefinition order() {
    return workflow("order", take("go"), effect("pack")).withPlaces(Place.external("go"));
  }

  private static List<String> lines(Engine engine) {
    return engine.audit().list("", AuditLog.LIMIT_MAX).stream()
        .map(AuditRecord::entry)
        .map(each ->
            String.join(
                    "|", each.actor(), each.action(), each.caseId(), each.subject(), each.outcome())
                + "|"
                + each.reason())
        .toList();
  }

  @Test
  void every_change_has_an_entry_with_its_outcome() {
    try (Engine engine = Engine.open(options(), store, order())) {
      engine.as(ANN, e -> e.start(order(), "one", Context.empty()));
      engine.as(ANN, e -> e.signal("one", "go", Map.of()));
      engine.as(ANN, e -> e.signal("one", "nowhere", Map.of()));
      engine.as(ANN, e -> e.pause("one", "too fast"));
      engine.as(ANN, e -> e.signal("one", "go", Map.of()));
      engine.as(ANN, e -> e.resume("one"));
      engine.as(ANN, e -> e.status("one"));
      engine.as(ANN, e -> e.completeTask("one", "pack", Map.of()));
      engine.signal("one", "go", Map.of());
      engine.as(ANN, e -> e.delete("one"));

      String task = engine.audit().list("", 100).get(6).entry().subject();
      assertThat(lines(engine))
          .containsExactly(
              "ann|start|one|order|started|ticket 7",
              "ann|signal|one|go|accepted|ticket 7",
              "ann|signal|one|nowhere|rejected|ticket 7",
              "ann|pause|one||accepted|too fast",
              "ann|signal|one|go|stored|ticket 7",
              "ann|resume|one||accepted|ticket 7",
              "ann|complete|one|" + task + "|accepted|ticket 7",
              "ann|delete|one||done|ticket 7");
      assertThat(engine.audit().list("", 1).getFirst().entry().atMillis()).isEqualTo(1_000_000);
    }
  }

  @Test
  void refusals_and_notes_have_entries_of_their_own_and_pages_have_cursors() {
    try (Engine engine = Engine.open(options(), store, order())) {
      assertThatThrownBy(() -> engine.as(ANN, e -> e.signal("none", "go", Map.of())))
          .isInstanceOf(IllegalArgumentException.class);
      engine.audit().add(Actor.named("bob"), "export", "one", "done");

      assertThat(lines(engine))
          .containsExactly(
              "ann|signal|none|go|refused|there is no case none", "bob|export|one||done|");
      List<AuditRecord> first = engine.audit().list("", 1);
      List<AuditRecord> second = engine.audit().list(first.getFirst().cursor(), 1);
      assertThat(second.getFirst().entry().actor()).isEqualTo("bob");
      assertThat(engine.audit().list(second.getFirst().cursor(), 1)).isEmpty();
      assertThatThrownBy(() -> engine.audit().list("x", 1))
          .hasMessage("not a cursor of the audit log: 'x'");
    }
  }

  @Test
  void an_entry_cannot_be_forged_by_what_it_contains() {
    AuditEntry entry =
        new AuditEntry(1, "eve\nann", "signal", "one", "\u2028x\r", "accepted", "\u001b[2J\ud800");

    assertThat(entry.actor()).isEqualTo("eve\\u{a}ann");
    assertThat(entry.subject()).isEqualTo("\\u{2028}x\\u{d}");
    assertThat(entry.reason()).isEqualTo("\\u{1b}[2J\\u{d800}");
    assertThat(AuditEntry.decode(entry.encode())).isEqualTo(entry);
    assertThat(new AuditEntry(1, "a".repeat(5_000), "", "", "", "", "").actor())
        .hasSize(AuditEntry.TEXT_MAX);
  }
}

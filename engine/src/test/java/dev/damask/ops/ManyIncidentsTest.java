package dev.damask.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseReply;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Pause;
import dev.damask.event.Reply;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// More incidents than a list shows.
final class ManyIncidentsTest {
  private static final int COUNT = Incidents.LIST_MAX + 1;

  private final MemoryStore store = new MemoryStore();
  private final List<String> asked = new ArrayList<>();

  private final class Counting implements Incidents.Operator {
    private CaseReply note(String caseId) {
      asked.add(caseId);
      return new CaseReply(Reply.ACCEPTED, asked.size());
    }

    @Override
    public CaseReply retry(String caseId, EffectId task) {
      store.commit(CommitBatch.ofRows(rows(COUNT + asked.size()))).join(); // it fails again
      return note(caseId);
    }

    @Override
    public CaseReply skip(String caseId, EffectId task, Context result) {
      return note(caseId);
    }

    @Override
    public CaseReply fail(String caseId, EffectId task, String reason) {
      return note(caseId);
    }
  }

  private static List<RowChange> rows(int number) {
    EffectId id = new EffectId(number);
    Effect effect = new Effect(id, "pay", 1, "pay", "k" + number);
    EffectIntent intent =
        EffectIntent.of(effect, 1, false, Delivery.KEYED, Context.empty())
            .parked(new Pause.Incident(number, "pay#1", "down", "it is down"));
    return IncidentRows.changes(
        new IncidentRows.Subject("c" + number, "order"), Map.of(id, Optional.empty()), _ -> intent);
  }

  @Test
  void every_incident_that_exists_is_visited_and_none_that_begins_meanwhile() {
    List<RowChange> all = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      all.addAll(rows(i));
    }
    store.commit(CommitBatch.ofRows(all)).join();
    Incidents incidents = new Incidents(store, new Counting());

    assertThat(incidents.list()).hasSize(Incidents.LIST_MAX);
    assertThat(incidents.failAll(IncidentQuery.ALL, "")).hasSize(COUNT);
    asked.clear();
    assertThat(incidents.retryAll(IncidentQuery.ALL)).hasSize(COUNT);
    assertThat(asked).hasSize(COUNT).doesNotHaveDuplicates();
    assertThat(incidents.skipAll(IncidentQuery.ALL, Map.of())).hasSize(2 * COUNT);
  }
}

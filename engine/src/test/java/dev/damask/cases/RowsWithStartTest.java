package dev.damask.cases;

import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseOptions;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/// Rows of the table that are written with the start of a case.
final class RowsWithStartTest {
  private static final WorkflowDefinition EMPTY = workflow("empty", skip());

  private static List<RowChange> row(long version) {
    return List.of(new RowChange.Put(new TableRow("kind", "key", version, Bytes.of())));
  }

  @Test
  void the_rows_are_in_the_commit_of_the_new_case_and_in_no_other() {
    MemoryStore memory = new MemoryStore();
    List<CommitBatch> batches = new CopyOnWriteArrayList<>();
    Store store =
        (Store)
            Proxy.newProxyInstance(
                Store.class.getClassLoader(),
                new Class<?>[] {Store.class},
                (_, method, arguments) -> {
                  if (method.getName().startsWith("commit")) {
                    batches.add((CommitBatch) arguments[0]);
                  }
                  return method.invoke(memory, arguments);
                });
    try (Engine engine = Engine.open(EngineOptions.defaults(), store, EMPTY)) {
      engine.startAsync(EMPTY, "one", Context.empty(), CaseOptions.DEFAULT, row(1)).join();
      engine.startAsync(EMPTY, "one", Context.empty(), CaseOptions.DEFAULT, row(2)).join();
      engine.startAsync(EMPTY, "two", Context.empty(), CaseOptions.DEFAULT, List.of()).join();
    }

    assertThat(memory.table().rows("kind", null, 9))
        .extracting(TableRow::version)
        .containsExactly(1L);
    assertThat(batches)
        .filteredOn(
            batch -> batch.rows().stream().anyMatch(each -> each.row().kind().equals("kind")))
        .singleElement()
        .satisfies(batch ->
            assertThat(batch.cases())
                .extracting(commit -> commit.record().caseId())
                .containsExactly("one"));
  }
}

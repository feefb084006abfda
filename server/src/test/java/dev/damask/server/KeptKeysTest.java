package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.server.ServedEngine.Answer;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Idempotency keys and required revisions, across restarts of the server.
@Timeout(60)
final class KeptKeysTest {
  private static final String START = "{\"workflow\":\"order\"}";
  private static final String SIGNAL = "{\"place\":\"approved\",\"payload\":{}}";

  private final MemoryStore store = new MemoryStore();

  @Test
  void a_reply_is_repeated_after_a_restart_of_the_server() {
    Answer first;
    try (ServedEngine served = ServedEngine.on(store)) {
      first = served.post(served.admin, "/v1/cases", START, "Idempotency-Key", "k");
    }
    try (ServedEngine served = ServedEngine.on(store.reopened())) {
      Answer again = served.post(served.admin, "/v1/cases", START, "Idempotency-Key", "k");
      Answer other =
          served.post(
              served.admin, "/v1/cases", "{\"workflow\":\"kaputt\"}", "Idempotency-Key", "k");

      assertThat(again.status()).isEqualTo(201);
      assertThat(again.text()).isEqualTo(first.text());
      assertThat(again.header("ETag")).isEqualTo(first.header("ETag"));
      assertThat(other.status()).isEqualTo(422);
    }
  }

  @Test
  void an_interrupted_start_or_signal_is_made_once() {
    Answer first;
    try (ServedEngine served = ServedEngine.on(store)) {
      first = served.post(served.admin, "/v1/cases", START, "Idempotency-Key", "start");
      served.post(served.admin, "/v1/cases/order-1/signal", SIGNAL, "Idempotency-Key", "signal");
      interrupt();
    }
    try (ServedEngine served = ServedEngine.on(store.reopened())) {
      Answer start = served.post(served.admin, "/v1/cases", START, "Idempotency-Key", "start");
      String before = served.get(served.admin, "/v1/cases/order-1").header("ETag");
      Answer signal =
          served.post(
              served.admin, "/v1/cases/order-1/signal", SIGNAL, "Idempotency-Key", "signal");

      assertThat(start.at("id")).isEqualTo(first.at("id"));
      assertThat(start.at("created")).isEqualTo(false);
      assertThat(signal.status()).isEqualTo(200);
      assertThat(served.get(served.admin, "/v1/cases/order-1").header("ETag")).isEqualTo(before);
    }
  }

  /// Makes the stored requests look as if the process had ended before their replies were stored.
  private void interrupt() {
    List<TableRow> rows = store.table().rows("request", null, 10);
    assertThat(rows).hasSize(2);
    for (TableRow row : rows) {
      byte[] bytes = row.value().toArray();
      bytes[1] = 0; // from done to begun
      TableRow begun = new TableRow(row.kind(), row.key(), 1, Bytes.of(bytes), row.indexKey());
      store.commit(CommitBatch.ofRows(List.of(new RowChange.Put(begun)))).join();
    }
  }

  @Test
  void an_interrupted_change_that_cannot_be_repeated_is_reported() {
    String body = "{\"reason\":\"a test\"}";
    try (ServedEngine served = ServedEngine.on(store)) {
      served.post(served.admin, "/v1/cases/order-1/pause", body, "Idempotency-Key", "one");
      served.post(served.admin, "/v1/cases/order-2/pause", body, "Idempotency-Key", "two");
      interrupt();
    }
    try (ServedEngine served = ServedEngine.on(store.reopened())) {
      Answer answer =
          served.post(served.admin, "/v1/cases/order-1/pause", body, "Idempotency-Key", "one");

      assertThat(answer.status()).isEqualTo(409);
      assertThat(String.valueOf(answer.at("detail"))).contains("its outcome is unknown");
    }
  }

  @Test
  void of_requests_that_require_one_revision_at_the_same_time_one_changes_the_case()
      throws ExecutionException, InterruptedException {
    try (ServedEngine served = ServedEngine.on(store);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int round = 0; round < 10; round++) {
        String tag = served.get(served.admin, "/v1/cases/order-1").header("ETag");
        List<Future<Answer>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          all.add(
              threads.submit(() ->
                  served.post(served.admin, "/v1/cases/order-1/signal", SIGNAL, "If-Match", tag)));
        }
        int changed = 0;
        for (Future<Answer> each : all) {
          changed += each.get().status() == 412 ? 0 : 1;
        }
        assertThat(changed).isEqualTo(1);
      }
    }
  }
}

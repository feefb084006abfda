package dev.damask.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.ops.RequestKeys.State;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The replies to requests that callers may repeat.
@Timeout(30)
final class RequestKeysTest {
  private final MemoryStore store = new MemoryStore();
  private long now = 1_000_000;

  private RequestKeys keys(Store on, String run) {
    return new RequestKeys(
        on.table(), (_, _, rows) -> on.commit(CommitBatch.ofRows(rows)), false, () -> now, run);
  }

  @Test
  void a_reply_is_known_to_every_later_process() {
    RequestKeys first = keys(store, "one");
    assertThat(first.begin("k", "body").state()).isEqualTo(State.NEW);
    assertThat(first.begin("k", "body").state()).isEqualTo(State.OPEN);
    first.keep("k", "body", "the reply");

    RequestKeys.Known known = keys(store.reopened(), "two").begin("k", "another body");

    assertThat(known).isEqualTo(new RequestKeys.Known(State.DONE, "body", "the reply"));
  }

  @Test
  void a_key_is_free_after_its_request_has_failed() {
    RequestKeys keys = keys(store, "one");
    keys.begin("k", "body");

    keys.drop("k");

    assertThat(keys.begin("k", "another body").state()).isEqualTo(State.NEW);
  }

  @Test
  void a_request_whose_process_has_ended_is_interrupted_and_may_be_repeated_by_one() {
    keys(store, "one").begin("k", "body");
    RequestKeys second = keys(store.reopened(), "two");

    assertThat(second.begin("k", "another body").state()).isEqualTo(State.INTERRUPTED);
    assertThat(second.begin("k", "body").state()).isEqualTo(State.INTERRUPTED);
    assertThat(second.begin("k", "body").state()).isEqualTo(State.OPEN);
    second.keep("k", "body", "late");

    assertThat(second.begin("k", "body").reply()).isEqualTo("late");
  }

  @Test
  void of_requests_with_one_key_at_the_same_time_one_begins()
      throws ExecutionException, InterruptedException {
    RequestKeys keys = keys(store, "one");
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<State>> all = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        all.add(threads.submit(() -> keys.begin("k", "body").state()));
      }
      int begun = 0;
      for (Future<State> each : all) {
        begun += each.get() == State.NEW ? 1 : 0;
      }
      assertThat(begun).isEqualTo(1);
    }
  }

  @Test
  void the_stored_form_stays_as_it_is() {
    RequestKeys keys = keys(store, "run");
    keys.begin("k", "body");
    keys.keep("k", "body", "reply");

    TableRow row = store.table().find("request", "k", 1).orElseThrow();

    assertThat(HexFormat.of().formatHex(row.value().toArray()))
        .isEqualTo("010180897a0372756e04626f6479057265706c79");
    assertThat(row.indexKey()).isEqualTo("0000000000001000000");
  }

  @Test
  void old_replies_are_removed() {
    RequestKeys keys = keys(store, "one");
    keys.begin("old", "body");
    keys.keep("old", "body", "reply");
    now += RequestKeys.KEPT.toMillis() + 1;

    for (int i = 0; i < RequestKeys.TRIMMED_EVERY; i++) {
      keys.begin("k" + i, "body");
    }

    assertThat(store.table().find(RequestKeys.KIND, "old", 1)).isEmpty();
    assertThat(store.table().find(RequestKeys.KIND, "k0", 1)).isPresent();
    assertThat(keys.begin("old", "body").state()).isEqualTo(State.NEW);
  }

  @Test
  void a_secret_is_created_once_and_stays_when_old_replies_are_removed() {
    byte[] secret = keys(store, "one").secret("cursors");

    now += 3 * RequestKeys.KEPT.toMillis();
    RequestKeys later = keys(store.reopened(), "two");
    for (int i = 0; i <= RequestKeys.TRIMMED_EVERY; i++) {
      later.begin("k" + i, "body");
    }

    assertThat(secret).hasSize(32);
    assertThat(later.secret("cursors")).isEqualTo(secret);
    assertThat(later.secret("others")).isNotEqualTo(secret);
  }
}

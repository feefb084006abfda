package dev.damask.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// Entries that break.
final class PublishQueueTest {
  private final PublishQueue queue = new PublishQueue();

  private static PublishQueue.Entry breaking(CompletableFuture<String> answer, Throwable thrown) {
    return new PublishQueue.Entry() {
      @Override
      public void publish() {
        if (thrown instanceof Error error) {
          throw error;
        }
        throw (RuntimeException) thrown;
      }

      @Override
      public void refuse(RuntimeException why) {
        answer.completeExceptionally(why);
      }
    };
  }

  @Test
  void an_entry_that_breaks_is_refused_and_the_next_one_is_published() {
    for (Throwable thrown : List.of(new AssertionError("x"), new ClassCastException("x"))) {
      CompletableFuture<String> broken = new CompletableFuture<>();
      CompletableFuture<String> next = new CompletableFuture<>();
      queue.add(breaking(broken, thrown));
      queue.addCompletion(() -> next.complete("yes"));

      assertThatThrownBy(() -> queue.drain(() -> false)).isSameAs(thrown);
      assertThatThrownBy(broken::join).hasMessageContaining("an error prevented the answer");
      assertThat(queue.drain(() -> false)).isTrue();
      assertThat(next).isCompletedWithValue("yes");
    }
  }

  @Test
  void an_entry_whose_shard_is_left_behind_is_refused_by_the_closer_only() {
    CompletableFuture<String> broken = new CompletableFuture<>();
    queue.add(breaking(broken, new ShardActivity.LeftBehind()));

    assertThatThrownBy(() -> queue.drain(() -> false)).isInstanceOf(ShardActivity.LeftBehind.class);
    assertThat(broken).isNotDone();

    queue.refuse(new IllegalStateException("closed"));
    assertThatThrownBy(broken::join).hasMessageContaining("closed");
  }
}

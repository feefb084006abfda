package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Every error is in the result, thrown, or reported (N10).
@ExtendWith(NoThreadLeft.class)
class LostErrorTest {

  private final IllegalStateException broken = new IllegalStateException("broken");
  private final CopyOnWriteArrayList<ChildError> reported = new CopyOnWriteArrayList<>();

  @Test
  void an_error_of_a_grandchild_after_a_cancel_reaches_the_outer_result() throws Exception {
    var outer = Nursery.open("outer");
    var isUp = new CountDownLatch(1);
    var isLeft = new AtomicBoolean();
    outer.launch(
        "owner",
        self -> {
          try (var inner = self.open("inner")) {
            inner.launch(
                "leaf",
                _ -> {
                  isUp.countDown();
                  Until.isTrue(isLeft::get);
                  throw broken;
                });
            try {
              inner.awaitAll().orThrow();
            } catch (InterruptedException e) {
              isLeft.set(true);
              throw e;
            }
          }
        });
    isUp.await();

    outer.cancel("enough");
    var result = (NurseryResult.Failed) outer.awaitAll();

    assertThat(result.first().child()).isEqualTo("owner");
    assertThat(result.first().error()).isInstanceOf(NurseryFailed.class).hasCause(broken);
  }

  @Test
  void an_error_of_a_grandchild_reaches_the_result_of_run() throws Exception {
    var isUp = new CountDownLatch(1);
    var token = CancelToken.create();
    var outer = Nursery.open(NurseryOptions.named("outer"), token);
    var inner =
        outer.spawn(
            "owner",
            self ->
                Nursery.run(
                    NurseryOptions.named("inner"),
                    nursery -> {
                      token.onCancel(why -> nursery.cancel("with the token"));
                      try (var innermost = self.open("innermost")) {
                        innermost.launch("leaf", leaf -> failWhenCancelled(leaf, isUp));
                        innermost.awaitAll().orThrow();
                      }
                    }));
    isUp.await();

    token.cancel(CancelReason.explicit("enough"));
    NurseryResult result = outer.awaitAll();

    // The owner is interrupted in its block, while it waits, or when `run` has returned.
    ChildResult<NurseryResult> owner = inner.tryResult().orElseThrow();
    if (owner instanceof ChildResult.Done<NurseryResult>(var returned)) {
      result = returned;
    }
    assertThat(result)
        .isInstanceOfSatisfying(
            NurseryResult.Failed.class,
            failed -> assertThat(Stopping.reaches(failed.first().error(), broken)).isTrue());
  }

  @ParameterizedTest
  @ValueSource(strings = {"cancelled", "sealed", "awaited"})
  void an_error_of_a_block_whose_nursery_has_ended_is_its_result(String end) throws Exception {
    var result =
        (NurseryResult.Failed)
            Nursery.run(
                NurseryOptions.named("ended"),
                nursery -> {
                  endIn(nursery, end);
                  throw broken;
                });

    assertThat(result.first().error()).isSameAs(broken);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cancelled", "sealed", "awaited"})
  void an_error_of_a_block_is_kept_when_its_thread_is_interrupted(String end) {
    assertThatThrownBy(
            () -> {
              var _ =
                  Nursery.run(
                      NurseryOptions.named("ended"),
                      nursery -> {
                        endIn(nursery, end);
                        Thread.currentThread().interrupt();
                        throw broken;
                      });
            })
        .isInstanceOf(InterruptedException.class)
        .satisfies(thrown -> assertThat(Stopping.reaches(thrown, broken)).isTrue());
  }

  private static void endIn(Nursery nursery, String end) throws InterruptedException {
    switch (end) {
      case "cancelled" -> nursery.cancel("enough");
      case "sealed" -> nursery.seal();
      default -> assertThat(nursery.awaitAll()).isInstanceOf(NurseryResult.Success.class);
    }
  }

  @Test
  void both_errors_suppressed_in_an_interruption_are_recorded() throws Exception {
    var other = new IllegalArgumentException("other");
    var interrupted = new InterruptedException();
    interrupted.addSuppressed(broken);
    interrupted.addSuppressed(other);

    assertThat(Stopping.errorsIn(interrupted)).containsExactly(broken, other);
  }

  @Test
  void an_error_deep_below_wrapped_interruptions_is_found() {
    var inner = new InterruptedException();
    inner.addSuppressed(broken);
    var wrapped = new RuntimeException(new RuntimeException(inner));
    var outer = new CancellationException();
    outer.addSuppressed(wrapped);

    assertThat(Stopping.errorsIn(outer)).containsExactly(broken);
  }

  @Test
  void a_cancellation_caused_by_an_error_is_an_error() {
    var cancelled = new CancellationException();
    cancelled.initCause(broken);

    assertThat(Stopping.errorsIn(cancelled)).containsExactly(cancelled);
  }

  @Test
  void a_failed_nursery_is_an_error_also_if_its_child_failed_with_an_interruption() {
    var first = new ChildError("leaf", new InterruptedException());
    var failed = NurseryFailed.of(first, List.of(first));

    assertThat(Stopping.errorsIn(failed)).containsExactly(failed);
  }

  @Test
  void cycles_among_causes_and_suppressed_exceptions_end_the_search() {
    var interrupted = new InterruptedException();
    var wrapper = new RuntimeException(interrupted);
    interrupted.initCause(wrapper);
    var stopped = new CancellationException();
    var again = new CancellationException();
    stopped.initCause(again);
    again.initCause(stopped);
    again.addSuppressed(stopped);

    assertThat(Stopping.errorsIn(wrapper)).containsExactly(wrapper);
    assertThat(Stopping.errorsIn(stopped)).isEmpty();
  }

  @Test
  void an_exception_that_cannot_be_classified_is_an_error() {
    var hostile =
        new RuntimeException("hostile") {
          private static final long serialVersionUID = 1L;

          @Override
          public synchronized Throwable getCause() {
            throw new IllegalStateException("no cause for you");
          }
        };
    var endless =
        new RuntimeException("endless") {
          private static final long serialVersionUID = 1L;

          @Override
          public synchronized Throwable getCause() {
            return new RuntimeException(this);
          }
        };

    assertThat(Stopping.errorsIn(hostile)).containsExactly(hostile);
    assertThat(Stopping.errorsIn(endless)).containsExactly(endless);
  }

  @Test
  void wrapped_interruptions_without_errors_only_report_a_stop() {
    var wrapped = new UncheckedIOException(new ClosedByInterruptException());
    wrapped.addSuppressed(new CancellationException());

    assertThat(Stopping.errorsIn(wrapped)).isEmpty();
  }

  @Test
  void a_later_error_is_kept_when_the_first_accepts_no_suppressed_exceptions() throws Exception {
    var closed = new Unsuppressing("first");
    var nursery = Nursery.open("closed");
    var isUp = new CountDownLatch(1);
    nursery.launch("late", leaf -> failWhenCancelled(leaf, isUp));
    isUp.await();
    nursery.launch("early", _ -> fail(closed));

    var result = (NurseryResult.Failed) nursery.awaitAll();

    assertThat(result.errors())
        .containsExactly(new ChildError("early", closed), new ChildError("late", broken));
    assertThatThrownBy(result::orThrow).hasCause(closed).hasSuppressedException(broken);
  }

  @Test
  void a_later_error_caused_by_the_first_closes_no_cycle_and_is_kept() throws Exception {
    var options = NurseryOptions.named("cycle").withPolicy(ErrorPolicy.COLLECT_ALL);
    var nursery = Nursery.open(options);
    var wrapper = new IllegalStateException("wrapper", broken);
    nursery.launch("one", _ -> fail(broken)).await();
    nursery.launch("two", _ -> fail(wrapper)).await();

    var result = (NurseryResult.Failed) nursery.awaitAll();

    assertThat(broken).hasNoSuppressedExceptions();
    assertThatThrownBy(result::orThrow).hasCause(broken).hasSuppressedException(wrapper);
  }

  @Test
  void an_error_of_a_cleanup_is_kept_when_the_code_threw_what_accepts_no_suppressed_ones()
      throws Exception {
    var closed = new Unsuppressing("code");
    var nursery = Nursery.open("cleanup");
    nursery.launch(
        "child",
        self -> {
          self.deferred(() -> fail(broken));
          fail(closed);
        });

    var result = (NurseryResult.Failed) nursery.awaitAll();

    assertThat(result.errors()).extracting(ChildError::error).containsExactly(closed, broken);
  }

  @Test
  void errors_beyond_the_limit_are_counted_and_reported_to_the_listener() throws Exception {
    int beyond = 7;
    var options = NurseryOptions.named("many").withOnError(reported::add);
    var errors = new Errors(options);
    for (int i = 0; i <= Errors.SUPPRESSED_MAX + beyond; i++) {
      errors.record(new ChildError("child " + i, new IllegalStateException("" + i)));
    }

    assertThat(reported).hasSize(beyond);
    assertThat(reported.getLast().child()).isEqualTo("child " + (Errors.SUPPRESSED_MAX + beyond));
    assertThat(errors.count()).isEqualTo(1 + Errors.SUPPRESSED_MAX + beyond);
    assertThat(errors.reported()).isEqualTo(beyond);
  }

  @Test
  void errors_beyond_the_limit_are_logged_without_a_listener() throws Exception {
    try (var log = new LogLines()) {
      var errors = new Errors(NurseryOptions.named("many"));
      for (int i = 0; i <= Errors.SUPPRESSED_MAX + 2; i++) {
        errors.record(new ChildError("child " + i, new IllegalStateException("" + i)));
      }

      assertThat(log.lines())
          .containsExactly(
              "child child 1001 of nursery many failed: java.lang.IllegalStateException: 1001",
              "child child 1002 of nursery many failed: java.lang.IllegalStateException: 1002");
    }
  }

  @Test
  void a_supervising_nursery_reports_each_error_and_continues() throws Exception {
    var options =
        NurseryOptions.named("server").withPolicy(ErrorPolicy.SUPERVISE).withOnError(reported::add);
    try (var nursery = Nursery.open(options)) {
      var isFree = new CountDownLatch(1);
      var other = nursery.spawn("other", _ -> awaitAndReturn(isFree));
      nursery.launch("one", _ -> fail(broken)).await();
      nursery.launch("two", _ -> fail(broken)).await();
      isFree.countDown();

      var result = nursery.awaitAll();

      assertThat(result).isEqualTo(new NurseryResult.Success());
      assertThat(other.value()).isEqualTo(1);
      assertThat(reported)
          .containsExactly(new ChildError("one", broken), new ChildError("two", broken));
      assertThat(nursery.errorCount()).isEqualTo(2);
    }
  }

  @Test
  void an_error_is_logged_when_the_listener_fails() throws Exception {
    try (var log = new LogLines()) {
      var options =
          NurseryOptions.named("server")
              .withPolicy(ErrorPolicy.SUPERVISE)
              .withOnError(_ -> {
                throw new IllegalArgumentException("bad listener");
              });
      var nursery = Nursery.open(options);
      nursery.launch("one", _ -> fail(broken));

      var result = nursery.awaitAll();

      assertThat(result).isEqualTo(new NurseryResult.Success());
      assertThat(log.lines())
          .containsExactly(
              "the error listener of nursery server failed:"
                  + " java.lang.IllegalArgumentException: bad listener",
              "child one of nursery server failed: java.lang.IllegalStateException: broken");
    }
  }

  private void failWhenCancelled(Self self, CountDownLatch isUp) {
    isUp.countDown();
    Until.isTrue(self::isCancelled);
    throw broken;
  }

  private static int awaitAndReturn(CountDownLatch isFree) throws InterruptedException {
    isFree.await();
    return 1;
  }

  private static void fail(RuntimeException error) {
    throw error;
  }

  /// Accepts no suppressed exceptions, as some preallocated exceptions of the JDK.
  private static final class Unsuppressing extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Unsuppressing(String message) {
      super(message, null, false, true);
    }
  }
}

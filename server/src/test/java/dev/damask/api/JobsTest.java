package dev.damask.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.json.JsonWriter;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class JobsTest {
  private static final Caller ADMIN = Caller.of("anna", Role.ADMIN);

  private static Object ended(Jobs.Job job) {
    while ("RUNNING".equals(job.json().get("state"))) {
      Thread.onSpinWait();
    }
    return String.valueOf(job.json().get("state"));
  }

  @Test
  void an_error_ends_a_job_and_gives_its_place_back() {
    try (Jobs jobs = new Jobs(Clock.systemUTC())) {
      for (int i = 0; i < 10; i++) {
        Jobs.Job job =
            jobs.start(
                "verify",
                "",
                _ -> {
                  throw new StackOverflowError("deep");
                });

        assertThat(ended(job)).isEqualTo("FAILED");
      }
    }
  }

  @Test
  void a_job_is_stopped_only_if_its_work_ends_early() throws InterruptedException {
    try (Jobs jobs = new Jobs(Clock.systemUTC())) {
      CountDownLatch stop = new CountDownLatch(1);
      Jobs.Job whole =
          jobs.start(
              "backup",
              "",
              _ -> {
                stop.await();
                return JsonWriter.object();
              });
      Jobs.Job early =
          jobs.start(
              "verify",
              "",
              job -> {
                stop.await();
                job.requireRunning();
                return JsonWriter.object();
              });
      whole.stop();
      early.stop();
      stop.countDown();

      assertThat(ended(whole)).isEqualTo("DONE");
      assertThat(ended(early)).isEqualTo("STOPPED");
    }
  }

  @Test
  void jobs_are_listed_newest_first_for_those_who_see_their_workflow() {
    try (Jobs jobs = new Jobs(Clock.systemUTC())) {
      Jobs.Job first = jobs.start("migration", "order", _ -> JsonWriter.object());
      Jobs.Job second = jobs.start("verify", "", _ -> JsonWriter.object());
      Caller limited =
          new Caller(
              "lena", Role.ADMIN, List.of("ord*"), Caller.ALL, false, java.util.Optional.empty());

      assertThat(jobs.list(ADMIN)).containsExactly(second, first);
      assertThat(jobs.list(limited)).containsExactly(first);
    }
  }
}

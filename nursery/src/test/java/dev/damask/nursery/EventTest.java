package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a flight recording shows.
class EventTest {

  @Test
  void a_recording_shows_nurseries_children_cancellations_and_who_was_overdue(@TempDir Path folder)
      throws IOException, InterruptedException {
    Path file = folder.resolve("nursery.jfr");
    try (var recording = new Recording()) {
      recording.start();
      cancelOneThatIgnoresIt();
      recording.stop();
      recording.dump(file);
    }

    var events = RecordingFile.readAllEvents(file);

    assertThat(events).anyMatch(event -> isChild(event, "done", "Done"));
    assertThat(events).anyMatch(event -> isChild(event, "stubborn", "Done"));
    assertThat(events)
        .anyMatch(event ->
            isNamed(event, "Nursery")
                && event.getString("result").equals("Cancelled")
                && event.getString("state").equals("CANCELLED")
                && event.getLong("spawned") == 2);
    assertThat(events)
        .anyMatch(event ->
            isNamed(event, "Cancel") && event.getString("reason").equals("explicit: enough"));
    assertThat(events)
        .anyMatch(
            event -> isNamed(event, "Overdue") && event.getString("child").equals("stubborn"));
  }

  private static void cancelOneThatIgnoresIt() throws InterruptedException {
    var isReported = new CountDownLatch(1);
    var options =
        NurseryOptions.named("recorded")
            .withGrace(Duration.ofMillis(5))
            .withOnOverdue(_ -> isReported.countDown());
    var nursery = Nursery.open(options);
    var isUp = new CountDownLatch(1);
    nursery.launch(
        "stubborn",
        _ -> {
          isUp.countDown();
          Until.isTrue(() -> isReported.getCount() == 0);
        });
    nursery.spawn("done", () -> 1).await();
    isUp.await();
    nursery.cancel("enough");
    var _ = nursery.awaitAll();
  }

  private static boolean isChild(RecordedEvent event, String child, String result) {
    return isNamed(event, "Child")
        && event.getString("child").equals(child)
        && event.getString("nursery").equals("recorded")
        && event.getString("result").equals(result);
  }

  private static boolean isNamed(RecordedEvent event, String name) {
    return event.getEventType().getName().equals("dev.damask.nursery." + name);
  }
}

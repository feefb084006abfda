package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.intake.LatencyRecorder;
import dev.damask.ops.Latency;
import dev.damask.store.MemoryStore;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the engine tells whoever watches it.
final class JfrEventsTest {
  @TempDir Path folder;

  @Test
  void a_recording_has_the_commits_the_calls_and_the_end_of_a_case() throws Exception {
    var ask = workflow("ask", effect("ask"));
    var options = EngineOptions.defaults().withHandler("ask", _ -> Map.of());
    Path file = folder.resolve("run.jfr");
    try (var recording = new Recording();
        var engine = Engine.open(options, new MemoryStore(), ask)) {
      recording.start();
      engine.start(ask, "one", Context.empty()).await();
      recording.stop();
      recording.dump(file);
    }

    assertThat(RecordingFile.readAllEvents(file))
        .extracting(RecordedEvent::getEventType)
        .extracting(jdk.jfr.EventType::getName)
        .contains("dev.damask.Commit", "dev.damask.Effect", "dev.damask.CaseEnded");
  }

  @Test
  void latencies_have_their_quantiles_within_a_quarter() {
    LatencyRecorder recorder = new LatencyRecorder();
    for (int i = 1; i <= 1_000; i++) {
      recorder.record(i * 1_000_000L);
    }

    Latency latency = recorder.read();

    assertThat(latency.count()).isEqualTo(1_000);
    assertThat(latency.p50Micros()).isBetween(500_000L, 625_000L);
    assertThat(latency.p99Micros()).isBetween(990_000L, 1_240_000L);
    assertThat(latency.maxMicros()).isEqualTo(1_000_000);
    assertThat(latency.meanMicros()).isEqualTo(500_500);
  }
}

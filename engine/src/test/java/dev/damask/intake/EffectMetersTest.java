package dev.damask.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.ops.EffectFigures;
import dev.damask.ops.Latency;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Handler calls counted by effect type.
final class EffectMetersTest {
  @Test
  void calls_failures_and_durations_are_counted_by_type() {
    EffectMeters meters = new EffectMeters();

    meters.ended("mail", TimeUnit.MILLISECONDS.toNanos(3), false);
    meters.ended("mail", TimeUnit.MILLISECONDS.toNanos(30), true);
    meters.ended("bank", TimeUnit.MICROSECONDS.toNanos(1), false);

    List<EffectFigures> figures = meters.read();
    assertThat(figures).extracting(EffectFigures::type).containsExactly("bank", "mail");
    EffectFigures mail = figures.getLast();
    assertThat(mail.calls()).isEqualTo(2);
    assertThat(mail.failed()).isEqualTo(1);
    assertThat(mail.duration().sumMicros()).isEqualTo(33_000);
    assertThat(mail.duration().maxMicros()).isEqualTo(30_000);
  }

  @Test
  void types_beyond_the_bound_are_counted_together() {
    EffectMeters meters = new EffectMeters();

    for (int i = 0; i < EffectMeters.TYPES_MAX + 5; i++) {
      meters.ended("type-%04d".formatted(i), 1, false);
    }

    List<EffectFigures> figures = meters.read();
    assertThat(figures).hasSize(EffectMeters.TYPES_MAX + 1);
    assertThat(figures.getFirst().type()).isEqualTo(EffectMeters.OTHERS);
    assertThat(figures.getFirst().calls()).isEqualTo(5);
  }

  @Test
  void a_bucket_contains_the_durations_up_to_its_bound_and_no_longer_ones() {
    LatencyRecorder recorder = new LatencyRecorder();

    recorder.record(1);
    recorder.record((1L << 16) - 1);
    recorder.record(1L << 16);
    recorder.record(Long.MAX_VALUE >> 8);

    Latency latency = recorder.read();
    assertThat(latency.count()).isEqualTo(4);
    assertThat(latency.buckets())
        .startsWith(
            new Latency.Bucket(1L << 14, 1),
            new Latency.Bucket(1L << 16, 2),
            new Latency.Bucket(1L << 18, 3))
        .endsWith(new Latency.Bucket(1L << 36, 3));
  }
}

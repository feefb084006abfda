package dev.damask.intake;

import dev.damask.ops.EffectFigures;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts handler calls by effect type. Written and read by any thread.
public final class EffectMeters {
  /// How many types are counted by name; calls of further types are counted together.
  static final int TYPES_MAX = 1_000;

  /// Under which the calls of further types are counted.
  static final String OTHERS = "(others)";

  private final Map<String, Meter> meters = new ConcurrentSkipListMap<>();

  private record Meter(LatencyRecorder duration, LongAdder failed) {}

  /// Counts a call that has ended.
  public void ended(String type, long nanos, boolean isFailed) {
    Meter meter = meters.get(type);
    if (meter == null) {
      String name = meters.size() < TYPES_MAX ? type : OTHERS;
      meter = meters.computeIfAbsent(name, _ -> new Meter(new LatencyRecorder(), new LongAdder()));
    }
    meter.duration.record(nanos);
    if (isFailed) {
      meter.failed.increment();
    }
  }

  /// Returns the figures of all types, by name.
  public List<EffectFigures> read() {
    return meters.entrySet().stream()
        .map(each -> {
          var duration = each.getValue().duration.read();
          long failed = each.getValue().failed.sum();
          return new EffectFigures(each.getKey(), duration.count(), failed, duration);
        })
        .toList();
  }
}

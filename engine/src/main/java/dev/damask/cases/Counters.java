package dev.damask.cases;

import java.util.concurrent.atomic.LongAdder;

/// What the shards of one engine count; written by all, read by whoever asks.
final class Counters {
  final LongAdder started = new LongAdder();
  final LongAdder ended = new LongAdder();
  final LongAdder removed = new LongAdder();
  final LongAdder steps = new LongAdder();
  final LongAdder commits = new LongAdder();
  final LongAdder batches = new LongAdder();
  final LongAdder bytes = new LongAdder();
  final Latency.Recorder committing = new Latency.Recorder();
  final Latency.Recorder cancelling = new Latency.Recorder();
}

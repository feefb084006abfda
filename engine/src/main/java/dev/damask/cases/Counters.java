package dev.damask.cases;

import dev.damask.effect.Effects;
import dev.damask.intake.LatencyRecorder;
import dev.damask.ops.Statistics;
import java.time.Duration;
import java.util.List;
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
  final LongAdder withoutProgram = new LongAdder();
  final LongAdder incidents = new LongAdder();
  final LongAdder calls = new LongAdder();
  final LongAdder slowMoves = new LongAdder();
  final LongAdder restarts = new LongAdder();
  final LatencyRecorder moving = new LatencyRecorder();
  final LatencyRecorder committing = new LatencyRecorder();
  final LatencyRecorder cancelling = new LatencyRecorder();

  Statistics read(Duration uptime, Effects effects, List<Shard> shards, long waiting) {
    return new Statistics(
        uptime,
        started.sum(),
        ended.sum(),
        removed.sum(),
        steps.sum(),
        effects.calls(),
        commits.sum(),
        batches.sum(),
        bytes.sum(),
        shards.stream().mapToLong(Shard::resident).sum(),
        shards.stream().mapToLong(shard -> shard.inbox.size()).sum(),
        effects.open(),
        committing.read(),
        cancelling.read(),
        moving.read(),
        slowMoves.sum(),
        restarts.sum(),
        calls.sum(),
        incidents.sum(),
        waiting,
        withoutProgram.sum());
  }
}

package dev.damask.intake;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.ops.MissingProgram;
import dev.damask.ops.Statistics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/// The counters of one engine, written by all its shards and read by any thread.
public final class Counters {
  private final long openedNanos = System.nanoTime();
  public final LongAdder started = new LongAdder();
  public final LongAdder ended = new LongAdder();
  public final LongAdder removed = new LongAdder();
  public final LongAdder steps = new LongAdder();
  public final LongAdder commits = new LongAdder();
  public final LongAdder batches = new LongAdder();
  public final LongAdder bytes = new LongAdder();
  public final LongAdder withoutProgram = new LongAdder();
  public final LongAdder incidents = new LongAdder();
  public final LongAdder paused = new LongAdder();
  public final LongAdder calls = new LongAdder();
  public final LongAdder slowMoves = new LongAdder();
  public final LongAdder restarts = new LongAdder();
  public final LatencyRecorder moving = new LatencyRecorder();
  public final LatencyRecorder committing = new LatencyRecorder();
  public final LatencyRecorder cancelling = new LatencyRecorder();
  public final EffectMeters byType = new EffectMeters();

  /// Returns a sink that also counts the calls by type.
  public Effects.Sink metered(Effects.Sink sink) {
    return new Effects.Sink() {
      @Override
      public void report(EffectCall call, EffectResult result) {
        sink.report(call, result);
      }

      @Override
      public void ended(EffectCall call, long nanos, EffectResult result) {
        byType.ended(call.type(), nanos, result instanceof EffectResult.Failed);
      }
    };
  }

  /// Replaces the number of cases whose programs are missing.
  public void missing(List<MissingProgram> programs) {
    withoutProgram.reset();
    withoutProgram.add(programs.stream().mapToLong(MissingProgram::cases).sum());
  }

  /// Returns the counters with readings that the caller took.
  ///
  /// @param resident the cases in memory
  /// @param queued the requests in the inboxes
  /// @param waiting the effects that wait for a permit
  public Statistics read(Effects effects, long resident, long queued, long waiting) {
    return new Statistics(
        Duration.ofNanos(System.nanoTime() - openedNanos),
        started.sum(),
        ended.sum(),
        removed.sum(),
        steps.sum(),
        effects.calls(),
        commits.sum(),
        batches.sum(),
        bytes.sum(),
        resident,
        queued,
        effects.open(),
        committing.read(),
        cancelling.read(),
        moving.read(),
        slowMoves.sum(),
        restarts.sum(),
        calls.sum(),
        incidents.sum(),
        waiting,
        paused.sum(),
        withoutProgram.sum(),
        byType.read());
  }
}

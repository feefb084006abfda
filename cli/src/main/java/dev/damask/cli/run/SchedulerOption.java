package dev.damask.cli.run;

import dev.damask.cli.command.RecordingFile;
import dev.damask.cli.command.Refusal;
import dev.damask.event.Choice;
import dev.damask.event.Scheduler;
import dev.damask.schedule.Replaying;
import dev.damask.trace.Recording;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The value of `--scheduler`: the deterministic scheduler, a random one, or the choices of a
/// recording.
final class SchedulerOption {
  private static final String RANDOM = "random:";
  private static final String REPLAY = "replay:";

  private final String text;
  private final OptionalLong seed;
  private final @Nullable Repeating repeating;

  private SchedulerOption(String text, OptionalLong seed, @Nullable Repeating repeating) {
    this.text = text;
    this.seed = seed;
    this.repeating = repeating;
  }

  static SchedulerOption parse(String text) {
    if (text.equals("deterministic")) {
      return new SchedulerOption(text, OptionalLong.empty(), null);
    }
    if (text.startsWith(RANDOM)) {
      return new SchedulerOption(text, OptionalLong.of(number(text)), null);
    }
    if (text.startsWith(REPLAY)) {
      Path file = Path.of(text.substring(REPLAY.length()));
      Recording recording = RecordingFile.read(file).recording();
      Repeating choices =
          recording.inOrder() ? null : new Repeating(new Replaying(recording.choices()));
      return new SchedulerOption(text, OptionalLong.empty(), choices);
    }
    throw new Refusal(
        "--scheduler must be deterministic, random:SEED or replay:FILE, got '" + text + "'");
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text.substring(RANDOM.length()));
    } catch (NumberFormatException e) {
      throw new Refusal("--scheduler " + text + ": a seed must be an integer such as random:42");
    }
  }

  static boolean isReplay(String text) {
    return text.startsWith(REPLAY);
  }

  /// Returns the seed of a random scheduler; empty for others.
  OptionalLong seed() {
    return seed;
  }

  /// The scheduler that repeats a recording; empty for another one.
  Optional<Scheduler> repeating() {
    return Optional.ofNullable(repeating);
  }

  /// Refuses a case that needed another choice than the recording has.
  void requireSame() {
    Replaying.Diverged diverged = repeating == null ? null : repeating.diverged;
    if (diverged != null) {
      throw new Refusal("--scheduler " + text + ": " + diverged.getMessage());
    }
  }

  /// Remembers where the choices differ: the engine only quarantines the case.
  private static final class Repeating implements Scheduler {
    private final Replaying replaying;
    private volatile Replaying.@Nullable Diverged diverged; // written by a shard

    Repeating(Replaying replaying) {
      this.replaying = replaying;
    }

    @Override
    public boolean isInOrder() {
      return false;
    }

    @Override
    public int choose(Choice choice) {
      try {
        return replaying.choose(choice);
      } catch (Replaying.Diverged e) {
        diverged = e;
        throw e;
      }
    }
  }
}

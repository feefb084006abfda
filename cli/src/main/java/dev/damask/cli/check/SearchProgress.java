package dev.damask.cli.check;

import dev.damask.cli.command.Streams;
import dev.damask.verify.Progress;
import java.nio.file.Path;
import java.util.Locale;

/// Reports the progress of a long search.
final class SearchProgress implements Progress {
  private static final long FIRST_NANOS = 2_000_000_000L;
  private static final long EVERY_NANOS = 1_000_000_000L;

  /// A log is not watched, so it gets a line now and then only.
  private static final long EVERY_LOGGED_NANOS = 10_000_000_000L;

  private final Streams streams;
  private final Path file;
  private long next = System.nanoTime() + FIRST_NANOS;

  SearchProgress(Streams streams, Path file) {
    this.streams = streams;
    this.file = file;
  }

  @Override
  public boolean goOn(long states, long statesPerSecond) {
    long now = System.nanoTime();
    if (now - next >= 0) {
      next = now + (streams.isTerminal() ? EVERY_NANOS : EVERY_LOGGED_NANOS);
      streams
          .err()
          .println(
              String.format(
                  Locale.ROOT, "%s: %,d states, %,d per second", file, states, statesPerSecond));
      streams.err().flush();
    }
    return true;
  }
}

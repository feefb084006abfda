package dev.damask.cli.run;

import dev.damask.cli.command.Lines;
import dev.damask.cli.command.Streams;

/// Reports the progress of a case: always on a terminal, otherwise after a while.
final class CaseProgress {
  private static final long LONG_NANOS = 2_000_000_000L;

  private final Streams streams;
  private final String label;
  private final long begin = System.nanoTime();

  CaseProgress(Streams streams, String label) {
    this.streams = streams;
    this.label = label;
  }

  /// A line that matters to interactive users only.
  void tell(String line) {
    if (streams.isTerminal() || System.nanoTime() - begin > LONG_NANOS) {
      message(line);
    }
  }

  /// A line that matters anyway.
  void message(String line) {
    streams.err().println(label + ": " + Lines.oneLine(line));
  }
}

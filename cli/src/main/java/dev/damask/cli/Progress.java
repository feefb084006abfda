package dev.damask.cli;

import dev.damask.document.Observation;
import java.util.List;

/// Tells people what a case does while it does it: always on a terminal, else once it takes long.
final class Progress {
  private static final long LONG_NANOS = 2_000_000_000L;

  private final Streams streams;
  private final String workflow;
  private final long begin = System.nanoTime();

  Progress(Streams streams, String workflow) {
    this.streams = streams;
    this.workflow = workflow;
  }

  /// A line that only matters to somebody who watches.
  void tell(String line) {
    if (streams.isTerminal() || System.nanoTime() - begin > LONG_NANOS) {
      message(line);
    }
  }

  /// A line that matters anyway.
  void message(String line) {
    streams.err().println(workflow + ": " + CommandTree.oneLine(line));
  }

  void observed(List<String> observations) {
    for (String text : observations) {
      Observation.parse(text).ifPresent(seen -> tell(sentence(seen)));
    }
  }

  private static String sentence(Observation seen) {
    String text = seen.text();
    String task = text.substring(0, text.length() - seen.kind().mark().length());
    String name = task.endsWith("#1") ? task.substring(0, task.length() - 2) : task;
    return switch (seen.kind()) {
      case STARTED -> name + " started";
      case COMPLETED -> name + " completed";
      case WITHDRAWN -> name + " withdrawn";
      case FAILED -> name + " failed";
      case RAN -> name + " ran";
      case GIVEN_UP -> "a join was given up";
    };
  }
}

package dev.damask.cli.command;

import java.io.PrintWriter;

/// Where a command writes: results to `out`, progress and messages to `err`. Both escape control
/// characters ([SafeWriter]).
///
/// @param isTerminal whether `err` is a terminal
public record Streams(PrintWriter out, PrintWriter err, boolean isTerminal) {
  public Streams {
    out = SafeWriter.over(out);
    err = SafeWriter.over(err);
  }
}

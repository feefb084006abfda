package dev.damask.cli;

import java.io.PrintWriter;

/// Where a command writes: results to `out`, progress and messages to `err`.
///
/// @param isTerminal whether somebody watches `err` as it is written
record Streams(PrintWriter out, PrintWriter err, boolean isTerminal) {}

package dev.damask.cli.command;

import dev.damask.effect.LogEffect;

/// The lines that commands print, made safe for a terminal.
public final class Lines {
  private static final int MESSAGE_MAX = 1_000;

  private Lines() {}

  /// Returns a message as one line of at most 1,000 characters.
  public static String oneLine(String message) {
    String line = shown(message.strip().replaceAll("\\s*\\R\\s*", " "));
    return line.length() <= MESSAGE_MAX ? line : line.substring(0, MESSAGE_MAX) + "…";
  }

  /// Returns a line whose control characters are replaced, so that it cannot move the cursor.
  public static String shown(String line) {
    return LogEffect.oneLine(line);
  }
}

package dev.damask.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.Consumer;

/// A file with tokens that is read again when it changes: new tokens are accepted, and removed ones
/// end together with their streams. An invalid file changes nothing.
public final class WatchedTokens {
  private final Path file;
  private final Tokens tokens;
  private String seen = ""; // used by one thread

  /// Reads the file. Throws `IllegalArgumentException` with the place of what is wrong.
  public WatchedTokens(Path file, Tokens tokens) {
    this.file = file;
    this.tokens = tokens;
    this.seen = state();
    TokenFile.read(file, tokens);
  }

  /// Reads the file if it has changed since it was read last.
  ///
  /// @param messages receives one line if it was read or is invalid
  public void refresh(Consumer<String> messages) {
    String now = state();
    if (now.equals(seen)) {
      return;
    }
    seen = now;
    try {
      TokenFile.read(file, tokens);
      messages.accept("read the tokens of " + file);
    } catch (IllegalArgumentException e) {
      messages.accept("the tokens stay as they were: " + e.getMessage());
    }
  }

  private String state() {
    try {
      BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
      return found.lastModifiedTime() + " " + found.size() + " " + found.fileKey();
    } catch (IOException e) {
      return "missing";
    }
  }
}

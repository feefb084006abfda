package dev.damask.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options that name a server instead of a store.
public final class ServerArguments {
  private static final String VARIABLE = "DAMASK_TOKEN";

  @Option(
      names = "--server",
      paramLabel = "URL",
      description = "The URL of a server instead of a store, such as http://127.0.0.1:8470.")
  private @Nullable String server;

  @Option(
      names = "--token",
      paramLabel = "TOKEN or @FILE",
      description = "The token for --server. Default: the environment variable DAMASK_TOKEN.")
  private @Nullable String token;

  /// Returns the client of the server; null if none is named. Throws [Refusal] if the options do
  /// not go together or are malformed.
  ///
  /// @param hasStore whether a store is named too
  public @Nullable ServerClient client(boolean hasStore) {
    if (server == null) {
      if (token != null) {
        throw new Refusal("--token requires --server");
      }
      return null;
    }
    if (hasStore) {
      throw new Refusal("--server and --store exclude each other");
    }
    return ServerClient.of(server, secret());
  }

  private String secret() {
    if (token == null) {
      String given = System.getenv(VARIABLE);
      return given == null ? "" : printable(VARIABLE, given.strip());
    }
    if (!token.startsWith("@")) {
      return printable("--token", token);
    }
    Path file = Path.of(token.substring(1));
    try {
      return printable("--token", Files.readString(file).strip());
    } catch (IOException e) {
      throw new Refusal("--token: " + file + ": " + RecordingFile.unreadable(file, e));
    }
  }

  /// A header accepts no other characters.
  private static String printable(String where, String text) {
    if (!text.chars().allMatch(c -> c > 32 && c < 127)) {
      throw new Refusal(where + ": a token has no spaces, line breaks or special characters");
    }
    return text;
  }
}

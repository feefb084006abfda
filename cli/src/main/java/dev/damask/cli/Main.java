package dev.damask.cli;

import dev.damask.cli.command.Streams;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/// The entry point of the launcher.
final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    // Suppress SLF4J's warning about a missing provider.
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    Streams streams =
        new Streams(
            writer(FileDescriptor.out),
            writer(FileDescriptor.err),
            Boolean.getBoolean("damask.terminal"));
    int exit = CommandTree.execute(streams, arguments);
    streams.out().flush();
    streams.err().flush();
    System.exit(exit);
  }

  /// UTF-8 whatever the locale, since observations and JSON need it.
  private static PrintWriter writer(FileDescriptor descriptor) {
    return new PrintWriter(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }
}

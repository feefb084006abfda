package dev.damask.cli;

import dev.damask.cli.command.JsonFiles;
import dev.damask.cli.command.Streams;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Runs a command as a user would, in this process.
public record Shell(int exit, String out, String err) {
  public static Shell damask(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Streams streams = new Streams(new PrintWriter(out), new PrintWriter(err), false);
    int exit = CommandTree.execute(streams, arguments);
    streams.out().flush();
    streams.err().flush();
    return new Shell(exit, out.toString(), err.toString());
  }

  /// Runs a command with `--store`.
  public static Shell onStore(String store, String command, String... words) {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of(words));
    all.addAll(List.of("--store", store));
    return damask(all.toArray(String[]::new));
  }

  /// Standard output as the JSON objects it holds, one a line.
  public List<Map<?, ?>> json() {
    return out.lines().<Map<?, ?>>map(line -> (Map<?, ?>) parse(line)).toList();
  }

  /// A JSON text as plain values.
  public static Object parse(String text) {
    return Objects.requireNonNull(JsonFiles.read(text).plain());
  }
}

package dev.damask.cli;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Streams;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;

/// The command without a subcommand: help, version, and the options of all.
@Command(
    name = "damask",
    description = "Runs, tests, checks and draws workflows written as YAML or JSON documents.",
    versionProvider = DamaskCommand.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  damask run order.yaml --events order-events.yaml   run one case",
      "  damask run order.yaml --context '{\"amount\": 120}'  start it with a context",
      "  damask run order.yaml --store orders               run it durably, in a directory",
      "  damask show orders order-1                         show a case of a store",
      "  damask test scenarios                              run all scenarios in a directory",
      "  damask check order.yaml                            check that it is sound",
      "  damask draw order.yaml -o order.svg                draw it",
      "  damask COMMAND --help                              describe a command"
    })
final class DamaskCommand implements Callable<Integer> {
  private final Streams streams;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = CommandLine.ScopeType.INHERIT,
      description = "Shows this help.")
  boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Shows the version.")
  boolean version;

  @Option(
      names = "--stacktrace",
      scope = CommandLine.ScopeType.INHERIT,
      description = "Prints the stack trace of an internal error.")
  boolean stacktrace;

  DamaskCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    streams.err().println("damask: missing COMMAND; see 'damask --help'");
    return Exit.INVALID;
  }

  /// The version the build wrote down.
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
      try (InputStream in = DamaskCommand.class.getResourceAsStream("version.txt")) {
        String version =
            in == null ? "?" : new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        return new String[] {
          "damask " + version + " (Java " + System.getProperty("java.version") + ")"
        };
      }
    }
  }
}

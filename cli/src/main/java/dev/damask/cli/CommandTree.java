package dev.damask.cli;

import dev.damask.cli.cases.BackupCommand;
import dev.damask.cli.cases.CancelCommand;
import dev.damask.cli.cases.CasesCommand;
import dev.damask.cli.cases.ChangeCommand;
import dev.damask.cli.cases.ClusterCommand;
import dev.damask.cli.cases.CompleteCommand;
import dev.damask.cli.cases.DeleteCommand;
import dev.damask.cli.cases.FailCommand;
import dev.damask.cli.cases.IncidentsCommand;
import dev.damask.cli.cases.MigrateCommand;
import dev.damask.cli.cases.NodesCommand;
import dev.damask.cli.cases.ReceiptCommand;
import dev.damask.cli.cases.RestartCommand;
import dev.damask.cli.cases.RetryCommand;
import dev.damask.cli.cases.SchedulesCommand;
import dev.damask.cli.cases.ShowCommand;
import dev.damask.cli.cases.SignalCommand;
import dev.damask.cli.cases.VerifyCommand;
import dev.damask.cli.check.CheckCommand;
import dev.damask.cli.check.CompileCommand;
import dev.damask.cli.check.DrawCommand;
import dev.damask.cli.check.TestCommand;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Lines;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.ServerProblem;
import dev.damask.cli.command.Streams;
import dev.damask.cli.run.ReplayCommand;
import dev.damask.cli.run.RunCommand;
import dev.damask.cli.run.ServeCommand;
import dev.damask.cli.sessions.GraphsCommand;
import dev.damask.cli.sessions.KillCommand;
import dev.damask.cli.sessions.PauseCommand;
import dev.damask.cli.sessions.ResumeCommand;
import dev.damask.cli.sessions.RulesCommand;
import dev.damask.cli.sessions.SessionCommand;
import dev.damask.cli.sessions.SessionsCommand;
import dev.damask.cli.sessions.WakeCommand;
import dev.damask.document.DocumentProblem;
import dev.damask.source.Rejected;
import dev.damask.store.StoreException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/// Assembles the commands and prints each error as one line.
final class CommandTree {
  private static final int CAUSES_MAX = 20;

  // Kept, because the JDK forgets the level of a logger that nothing refers to.
  private static final Logger HELIDON = Logger.getLogger("io.helidon");
  private static final Logger START = Logger.getLogger("io.helidon.webserver.LoomServer");

  private CommandTree() {}

  static int execute(Streams streams, String... arguments) {
    HELIDON.setLevel(Level.WARNING); // it reports every start
    START.setLevel(Level.OFF); // a taken port is reported by the command
    DamaskCommand root = new DamaskCommand(streams);
    CommandLine line = commandLine(root, streams);
    try {
      return line.execute(helpFor(line, arguments));
    } catch (OutOfMemoryError e) {
      streams.err().println("damask: " + outOfMemory());
      return Exit.INVALID;
    } catch (StackOverflowError | AssertionError e) {
      return internal(streams.err(), root.stacktrace, e);
    }
  }

  /// `help` and `help COMMAND` are read as `--help` and `COMMAND --help`.
  private static String[] helpFor(CommandLine line, String... arguments) {
    if (arguments.length == 0 || !arguments[0].equals("help")) {
      return arguments;
    }
    if (arguments.length > 1 && !line.getSubcommands().containsKey(arguments[1])) {
      return new String[] {arguments[1]}; // which is unknown, and reported as such
    }
    String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length + 1);
    rest[rest.length - 1] = "--help";
    return rest;
  }

  static CommandLine commandLine(Streams streams) {
    return commandLine(new DamaskCommand(streams), streams);
  }

  private static CommandLine commandLine(DamaskCommand root, Streams streams) {
    CommandLine line =
        new CommandLine(root)
            .addSubcommand(new RunCommand(streams))
            .addSubcommand(new ServeCommand(streams))
            .addSubcommand(new TestCommand(streams))
            .addSubcommand(new CheckCommand(streams))
            .addSubcommand(new CompileCommand(streams))
            .addSubcommand(new DrawCommand(streams))
            .addSubcommand(new ReplayCommand(streams))
            .addSubcommand(new CasesCommand(streams))
            .addSubcommand(new ShowCommand(streams))
            .addSubcommand(new ReceiptCommand(streams))
            .addSubcommand(new SignalCommand(streams))
            .addSubcommand(new CompleteCommand(streams))
            .addSubcommand(new FailCommand(streams))
            .addSubcommand(new CancelCommand(streams))
            .addSubcommand(new RetryCommand(streams))
            .addSubcommand(new IncidentsCommand(streams))
            .addSubcommand(new MigrateCommand(streams))
            .addSubcommand(new ChangeCommand(streams))
            .addSubcommand(new RestartCommand(streams))
            .addSubcommand(new DeleteCommand(streams))
            .addSubcommand(new SchedulesCommand(streams))
            .addSubcommand(new VerifyCommand(streams))
            .addSubcommand(new BackupCommand(streams))
            .addSubcommand(new ClusterCommand(streams))
            .addSubcommand(new NodesCommand(streams))
            .addSubcommand(new SchemaCommand(streams))
            .addSubcommand(new GraphsCommand(streams))
            .addSubcommand(new RulesCommand(streams))
            .addSubcommand(new SessionsCommand(streams))
            .addSubcommand(new SessionCommand(streams))
            .addSubcommand(new WakeCommand(streams))
            .addSubcommand(new PauseCommand(streams))
            .addSubcommand(new ResumeCommand(streams))
            .addSubcommand(new KillCommand(streams))
            .addSubcommand(new CompletionCommand(streams));
    return line.setOut(streams.out())
        .setErr(streams.err())
        .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
        .setUsageHelpAutoWidth(false)
        .setUsageHelpWidth(100)
        .setAbbreviatedOptionsAllowed(false)
        .setExpandAtFiles(false)
        .setParameterExceptionHandler((problem, arguments) -> misused(problem, streams.err()))
        .setExecutionExceptionHandler((problem, command, parsed) -> {
          if (problem instanceof Refusal
              || problem instanceof DocumentProblem
              || problem instanceof Rejected
              || problem instanceof ServerProblem
              || problem instanceof StoreException) {
            streams.err().println("damask: " + Lines.oneLine(String.valueOf(problem.getMessage())));
            return Exit.INVALID;
          }
          return internal(streams.err(), root.stacktrace, problem);
        });
  }

  private static int misused(ParameterException problem, PrintWriter err) {
    String name = problem.getCommandLine().getCommandSpec().qualifiedName();
    String message = Misuse.sentence(problem);
    String help = message.endsWith("?") ? "" : "; see '" + name + " --help'";
    err.println(name + ": " + Lines.oneLine(message) + help);
    return Exit.INVALID;
  }

  private static String outOfMemory() {
    long megabytes = Runtime.getRuntime().maxMemory() >> 20;
    return "out of memory with %d MB; raise the limit with DAMASK_JAVA_OPTIONS=-Xmx1g"
        .formatted(megabytes);
  }

  /// Reports an error of ours in one line, with the details on demand or in a file.
  static int internal(PrintWriter err, boolean stacktrace, Throwable problem) {
    String what = Lines.oneLine(problem.toString());
    if (stacktrace) {
      err.println("damask: internal error: " + what);
      err.print(details(problem));
      return Exit.INTERNAL;
    }
    String where;
    try {
      Path file = Files.createTempFile("damask-error-", ".txt");
      Files.writeString(file, details(problem));
      where = "details are in " + file;
    } catch (IOException e) {
      where = "repeat with --stacktrace for details";
    }
    err.println("damask: internal error: " + what + "; " + where);
    return Exit.INTERNAL;
  }

  private static String details(Throwable problem) {
    StringBuilder text = new StringBuilder();
    Throwable each = problem;
    for (int depth = 0; each != null && depth < CAUSES_MAX; depth++) {
      text.append(depth == 0 ? "" : "caused by ").append(each).append('\n');
      for (StackTraceElement frame : each.getStackTrace()) {
        text.append("  at ").append(frame).append('\n');
      }
      each = each.getCause();
    }
    return text.toString();
  }
}

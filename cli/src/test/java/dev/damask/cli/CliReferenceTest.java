package dev.damask.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Streams;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/// Keeps the page `docs/reference/cli.md` in step with the commands.
final class CliReferenceTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "cli.md");

  private static final String AGAIN =
      "mvn -pl cli -am test -Dtest=CliReferenceTest -Dsurefire.failIfNoSpecifiedTests=false"
          + " -Dregenerate=-Ddamask.regenerate=true";

  @Test
  void the_page_is_fresh() throws IOException {
    String page = page();
    if (Boolean.getBoolean("damask.regenerate")) {
      Files.createDirectories(PAGE.getParent());
      Files.writeString(PAGE, page);
    }

    assertThat(PAGE).as("regenerate it with: " + AGAIN).hasContent(page);
  }

  private static String page() {
    PrintWriter nowhere = new PrintWriter(new StringWriter());
    CommandLine root = CommandTree.commandLine(new Streams(nowhere, nowhere, false));
    StringBuilder out = new StringBuilder();
    out.append("# Command line\n\n");
    out.append("<!-- Generated from the commands; do not edit. To regenerate it:\n     ");
    out.append(AGAIN).append(" -->\n\n");
    out.append(String.join(" ", root.getCommandSpec().usageMessage().description()));
    out.append("\n\nCommands print results to standard output, and progress and messages to")
        .append(" standard error. Invalid input\n")
        .append("is reported in one line with exit code 2, an internal error in one line with")
        .append(" exit code 70.\n\n");
    options(out, root.getCommandSpec());
    out.append("Options of the launcher, as the first argument: `--rebuild` rebuilds the tool,")
        .append(" `--find-jdk` prints the JDK\n")
        .append("that it uses. The environment variable `DAMASK_JAVA_OPTIONS` contains options for")
        .append(" the JVM, such as `-Xmx1g`.\n");
    for (CommandLine command : root.getSubcommands().values()) {
      command(out, command.getCommandSpec());
    }
    return out.toString();
  }

  private static void command(StringBuilder out, CommandSpec spec) {
    out.append("\n## ").append(spec.name()).append("\n\n    ").append(synopsis(spec));
    out.append("\n\n").append(String.join(" ", spec.usageMessage().description())).append("\n\n");
    if (!spec.positionalParameters().isEmpty()) {
      out.append("| argument | |\n|---|---|\n");
      for (PositionalParamSpec each : spec.positionalParameters()) {
        row(out, "`" + each.paramLabel() + "`", each.description(), each.completionCandidates());
      }
      out.append('\n');
    }
    options(out, spec);
    out.append("| exit code | |\n|---|---|\n");
    for (Map.Entry<String, String> exit : spec.usageMessage().exitCodeList().entrySet()) {
      out.append("| ").append(exit.getKey().strip()).append(" | ").append(exit.getValue());
      out.append(" |\n");
    }
  }

  private static String synopsis(CommandSpec spec) {
    StringBuilder line = new StringBuilder(spec.qualifiedName());
    for (PositionalParamSpec each : spec.positionalParameters()) {
      line.append(' ').append(each.paramLabel()).append(each.arity().max() > 1 ? "…" : "");
    }
    for (OptionSpec each : own(spec)) {
      line.append(" [").append(each.longestName());
      line.append(each.arity().max() == 0 ? "" : " " + each.paramLabel());
      line.append(each.isMultiValue() ? "…]" : "]");
    }
    return line.toString();
  }

  private static List<OptionSpec> own(CommandSpec spec) {
    return spec.options().stream().filter(option -> !option.inherited()).toList();
  }

  private static void options(StringBuilder out, CommandSpec spec) {
    if (own(spec).isEmpty()) {
      return;
    }
    out.append("| option | |\n|---|---|\n");
    for (OptionSpec each : own(spec)) {
      String names = String.join("`, `", each.names());
      String value = each.arity().max() == 0 ? "" : " " + each.paramLabel();
      row(out, "`" + names + value + "`", each.description(), each.completionCandidates());
    }
    out.append('\n');
  }

  private static void row(
      StringBuilder out, String what, String[] description, Iterable<String> candidates) {
    String words = candidates == null ? "" : String.join(", ", candidates);
    String text = String.join(" ", description).replace("${COMPLETION-CANDIDATES}", words);
    out.append("| ").append(what).append(" | ").append(text).append(" |\n");
  }
}

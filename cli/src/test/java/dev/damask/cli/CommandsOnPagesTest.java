package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Runs the commands that pages show after a `$`, in order, and compares what they print. A line of
/// `…` stands for any lines, a `…` inside a line for anything.
@Timeout(240)
final class CommandsOnPagesTest {
  private static final Pattern SECTION = Pattern.compile("(?ms)^## (\\w+)\n(.*?)(?=^## |\\z)");
  private static final Pattern NAMED =
      Pattern.compile("(?m)(?:^[$ ]*|`)(?:\\./)?damask ([a-z]+)([^`\n]*)");
  private static final Pattern OPTION = Pattern.compile("(?<!\\S)(--[a-z-]+)");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  /// Names on the pages that belong to the reader's own folder.
  private static final List<String> OWN = List.of("orders", "order.svg", "run.json");

  @TempDir Path folder;

  /// A command and what is shown below it.
  private record Shown(String command, List<String> output) {}

  private static List<Shown> shown(String page) {
    List<Shown> all = new ArrayList<>();
    boolean isBlock = false;
    boolean isOutput = false;
    for (String line : page.lines().toList()) {
      if (line.startsWith("```")) {
        isBlock = !isBlock;
        isOutput = false;
      } else if (isBlock && line.startsWith("$ ")) {
        all.add(new Shown(line.substring(2), new ArrayList<>()));
        isOutput = true;
      } else if (isOutput) {
        all.getLast().output().add(line);
      }
    }
    return all;
  }

  private String[] words(String command) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(command);
    while (word.find()) {
      String text = word.group(1) == null ? word.group(2) : word.group(1);
      if (text.startsWith("examples/")) {
        words.add("../" + text);
      } else {
        words.add(OWN.contains(text) ? folder.resolve(text).toString() : text);
      }
    }
    assertThat(words.removeFirst()).isEqualTo("./damask");
    return words.toArray(String[]::new);
  }

  private static Pattern pattern(List<String> output) {
    return Pattern.compile(
        output.stream()
            .map(line ->
                line.equals("…")
                    ? "(?:.*\n)*"
                    : Pattern.compile("…")
                        .splitAsStream(line + "\n")
                        .map(Pattern::quote)
                        .collect(Collectors.joining(".*")))
            .collect(Collectors.joining()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "docs/tutorial.md"})
  void every_command_prints_what_the_page_says(String page) throws IOException {
    List<Shown> all = shown(Files.readString(Path.of("..", page)));
    assertThat(all).isNotEmpty();

    for (Shown each : all) {
      Shell shell = damask(words(each.command()));
      String printed = (shell.err() + shell.out()).replace("../examples/", "examples/");

      assertThat(printed).as(each.command()).matches(pattern(each.output()));
    }
  }

  /// The sections of the command line's reference page by command.
  private static Map<String, String> reference() throws IOException {
    Map<String, String> sections = new TreeMap<>();
    Matcher section = SECTION.matcher(Files.readString(Path.of("..", "docs/reference/cli.md")));
    while (section.find()) {
      sections.put(section.group(1), section.group(2));
    }
    return sections;
  }

  /// What is wrong with the commands that a page names.
  private static List<String> unknown(String name, String page, Map<String, String> reference) {
    List<String> unknown = new ArrayList<>();
    Matcher named = NAMED.matcher(page);
    while (named.find()) {
      String section = reference.get(named.group(1));
      if (section == null) {
        unknown.add(name + ": no command " + named.group(1));
        continue;
      }
      Matcher option = OPTION.matcher(named.group(2));
      while (option.find()) {
        if (!section.contains("`" + option.group(1))) {
          unknown.add(name + ": " + named.group(1) + " has no option " + option.group(1));
        }
      }
    }
    return unknown;
  }

  @Test
  void every_command_and_option_that_a_page_names_exists() throws IOException {
    Map<String, String> reference = reference();
    List<String> unknown = new ArrayList<>();
    try (Stream<Path> files = Files.walk(Path.of("..", "docs"))) {
      for (Path file : files.filter(CommandsOnPagesTest::isWrittenByHand).toList()) {
        unknown.addAll(unknown(file.toString(), Files.readString(file), reference));
      }
    }

    assertThat(reference).containsKeys("run", "check", "store");
    assertThat(unknown).isEmpty();
    assertThat(unknown("p", "`damask rnu DOC`, `./damask run --stroe DIR`", reference))
        .containsExactly("p: no command rnu", "p: run has no option --stroe");
  }

  /// Decision records describe the past.
  private static boolean isWrittenByHand(Path file) {
    String name = file.toString().replace('\\', '/');
    return name.endsWith(".md") && !name.contains("/adr/") && !name.contains("/reference/");
  }
}

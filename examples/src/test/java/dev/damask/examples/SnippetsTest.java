package dev.damask.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the pages show is what the build compiles and runs: a block after `<!-- from FILE -->` is a
/// part of that file, indentation aside, and there is no block of Java without a file.
final class SnippetsTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern SHOWN =
      Pattern.compile("<!-- from (\\S+) -->\n```\\w*\n(.*?)```", Pattern.DOTALL);
  private static final Pattern UNKNOWN = Pattern.compile("(?<!-->\n)```java\n");

  private static String lines(String text) {
    return text.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n"));
  }

  /// One sentence for each block that is not what it says.
  private static List<String> problems(String page) throws IOException {
    List<String> problems = new ArrayList<>();
    Matcher block = SHOWN.matcher(page);
    while (block.find()) {
      Path file = ROOT.resolve(block.group(1));
      if (!Files.exists(file) || !lines(Files.readString(file)).contains(lines(block.group(2)))) {
        problems.add("not in " + block.group(1) + ": " + block.group(2));
      }
    }
    Matcher unknown = UNKNOWN.matcher(page);
    while (unknown.find()) {
      problems.add("a block of Java without a file at " + unknown.start());
    }
    return problems;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.md",
        "docs/tutorial.md",
        "docs/operations.md",
        "docs/howto/expense-service.md",
        "docs/howto/test-a-workflow.md",
        "docs/howto/typed-workflows.md"
      })
  void every_snippet_is_in_its_file(String page) throws IOException {
    assertThat(problems(Files.readString(ROOT.resolve(page)))).isEmpty();
  }

  @Test
  void a_snippet_that_is_not_is_found() throws IOException {
    String file = "examples/src/main/java/dev/damask/examples/order/Shop.java";
    String marker = "<!-- from " + file + " -->\n";

    assertThat(problems(marker + "```java\nfinal class Shop {\n```\n")).isEmpty();
    assertThat(problems(marker + "```java\nfinal class Shed {\n```\n")).hasSize(1);
    assertThat(problems("<!-- from nowhere -->\n```\nx\n```\n")).hasSize(1);
    assertThat(problems("text\n```java\nint a;\n```\n")).hasSize(1);
  }
}

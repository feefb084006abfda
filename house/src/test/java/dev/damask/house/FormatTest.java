package dev.damask.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Formatting is the build's business. To put it right: `mvn -q -pl house test -Dtest=FormatTest
/// -Ddamask.format=write`.
final class FormatTest {
  private static final boolean WRITES = "write".equals(System.getProperty("damask.format"));

  @Test
  void every_source_is_formatted() throws IOException {
    List<Path> sources = Repository.java();
    List<String> different =
        sources.parallelStream().map(FormatTest::difference).filter(d -> !d.isEmpty()).toList();

    assertThat(sources).isNotEmpty();
    assertThat(different)
        .as("put right by: mvn -q -pl house test -Dtest=FormatTest -Ddamask.format=write")
        .isEmpty();
  }

  @Test
  void a_source_that_is_not_formatted_is_noticed() throws FormatterException {
    String untidy = "class A { int  f( ) { return 1 ; } }\n";

    assertThat(format(untidy)).isNotEqualTo(untidy);
    assertThat(first("A.java", untidy, format(untidy))).startsWith("A.java:1");
  }

  private static String difference(Path file) {
    String before = Repository.read(file);
    try {
      String after = format(before);
      if (before.equals(after)) {
        return "";
      }
      if (WRITES) {
        Files.writeString(file, after);
        return "";
      }
      return first(Repository.name(file), before, after);
    } catch (FormatterException | IOException e) {
      return Repository.name(file) + ": " + e.getMessage();
    }
  }

  private static String format(String source) throws FormatterException {
    JavaFormatterOptions.Style style = JavaFormatterOptions.Style.GOOGLE;
    String ordered =
        RemoveUnusedImports.removeUnusedImports(ImportOrderer.reorderImports(source, style));
    return new Formatter().formatSource(ordered);
  }

  /// The first lines that differ.
  private static String first(String name, String before, String after) {
    List<String> old = before.lines().toList();
    List<String> right = after.lines().toList();
    int at = 0;
    while (at < old.size() && at < right.size() && old.get(at).equals(right.get(at))) {
      at++;
    }
    String is = at < old.size() ? old.get(at) : "the end";
    String should = at < right.size() ? right.get(at) : "the end";
    return name + ":" + (at + 1) + "\n  is     " + is + "\n  should " + should;
  }
}

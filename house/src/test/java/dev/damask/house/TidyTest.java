package dev.damask.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Reads the repository and finds what does not belong in it.
final class TidyTest {
  private static final int LINES_MAX = 500;
  private static final int COLUMNS_MAX = 100;
  private static final long BLOB_BYTES_MAX = 1 << 20;

  /// The one file that may be long: the loop and everything it calls, in one place.
  private static final List<String> LONG = List.of("Machine.java");

  private static final List<String> ROOT_FILES =
      List.of(
          ".editorconfig",
          ".gitattributes",
          ".gitignore",
          "CHANGELOG.md",
          "CONTRIBUTING.md",
          "LICENSE",
          "NOTICE",
          "README.md",
          "damask",
          "SECURITY.md",
          "damask",
          "pom.xml");

  private static final List<String> LARGE = List.of();

  /// What no Java source says. The letters of a word are parted so that this file may say it.
  private static final List<Pattern> BANNED =
      List.of(
          Pattern.compile("\\bTO" + "DO\\b(?!\\(#\\d+\\))"),
          Pattern.compile("\\bFIX" + "ME\\b"),
          Pattern.compile(
              "(class|interface|record|enum) \\w*(Im" + "pl|Ut" + "ils?|Help" + "er)\\b"),
          Pattern.compile("(class|interface|record|enum) \\w*Mana" + "ger\\b"),
          Pattern.compile("print" + "StackTrace\\(\\)"),
          Pattern.compile("@Dis" + "abled\\b"),
          Pattern.compile("@au" + "thor\\b"));

  private static final List<Pattern> MACHINE_PATHS =
      List.of(
          Pattern.compile("/(home|Use" + "rs|ro" + "ot)/\\w"), Pattern.compile("/wo" + "rk/\\w"));

  private static final List<String> TEXTS =
      List.of(".java", ".md", ".xml", ".json", ".yaml", ".yml", ".properties", ".sh");

  /// Everything wrong with one Java source.
  private static List<String> problems(String name, String text) {
    List<String> problems = new ArrayList<>();
    List<String> lines = text.lines().toList();
    boolean isLong = LONG.stream().anyMatch(name::endsWith);
    if (lines.size() > LINES_MAX && !isLong) {
      problems.add(name + " has " + lines.size() + " lines, at most " + LINES_MAX);
    }
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      boolean isImport = line.startsWith("import "); // it cannot be divided
      if (line.codePointCount(0, line.length()) > COLUMNS_MAX && !isImport) {
        problems.add(name + ":" + (i + 1) + " is longer than " + COLUMNS_MAX + " columns");
      }
      for (Pattern banned : BANNED) {
        Matcher matcher = banned.matcher(line);
        if (matcher.find()) {
          problems.add(name + ":" + (i + 1) + " says " + matcher.group());
        }
      }
    }
    return problems;
  }

  @Test
  void sources_are_short_and_say_nothing_banned() {
    List<String> problems = new ArrayList<>();
    for (Path file : Repository.java()) {
      problems.addAll(problems(Repository.name(file), Repository.read(file)));
    }

    assertThat(problems).isEmpty();
  }

  @Test
  void every_one_of_these_rules_is_alive() {
    String word = "TO" + "DO";
    assertThat(problems("A.java", "x\n".repeat(501)))
        .containsExactly("A.java has 501 lines, at most 500");
    assertThat(problems("Machine.java", "x\n".repeat(501))).isEmpty();
    assertThat(problems("A.java", "y".repeat(101)))
        .containsExactly("A.java:1 is longer than 100 columns");
    assertThat(problems("A.java", "// " + word)).containsExactly("A.java:1 says " + word);
    assertThat(problems("A.java", "// " + word + "(#12)")).isEmpty();
    assertThat(problems("A.java", "final class StringUt" + "il {")).hasSize(1);
    assertThat(problems("A.java", "class TaskMana" + "ger {")).hasSize(1);
    assertThat(problems("A.java", "e.print" + "StackTrace();")).hasSize(1);
    assertThat(problems("A.java", "@Dis" + "abled")).hasSize(1);
  }

  @Test
  void nothing_names_a_path_of_somebodys_machine() {
    List<String> problems = new ArrayList<>();
    for (Path file : Repository.files()) {
      String name = Repository.name(file);
      if (TEXTS.stream().noneMatch(name::endsWith)) {
        continue;
      }
      String text = Repository.read(file);
      for (Pattern path : MACHINE_PATHS) {
        Matcher matcher = path.matcher(text);
        if (matcher.find()) {
          problems.add(name + " names " + matcher.group());
        }
      }
    }

    assertThat(problems).isEmpty();
  }

  @Test
  void no_file_is_stray_in_the_root_and_none_is_large() throws IOException {
    List<String> stray = new ArrayList<>();
    for (Path file : Repository.files()) {
      String name = Repository.name(file);
      if (Path.of(name).getNameCount() == 1 && !ROOT_FILES.contains(name)) {
        stray.add(name + " in the root");
      }
      if (Files.size(file) > BLOB_BYTES_MAX && !LARGE.contains(name)) {
        stray.add(name + " has " + Files.size(file) + " bytes");
      }
    }

    assertThat(stray).isEmpty();
  }

  /// The row of the index for a record: its number, its file and its title.
  private static String entry(String name, String text) {
    String title = text.lines().findFirst().orElse("").replaceFirst("# \\d{4} ", "");
    return "[" + name.substring(0, 4) + "](" + name + ") | " + title;
  }

  @Test
  void every_decision_record_is_in_the_index_with_its_title() throws IOException {
    Path folder = Repository.ROOT.resolve("docs/adr");
    List<String> missing = new ArrayList<>();
    if (Files.exists(folder)) {
      String index = Repository.read(folder.resolve("README.md"));
      try (Stream<Path> records = Files.list(folder)) {
        records
            .map(record -> record.getFileName().toString())
            .filter(name -> name.matches("\\d{4}-.*\\.md"))
            .filter(name -> !index.contains(entry(name, Repository.read(folder.resolve(name)))))
            .forEach(missing::add);
      }
    }

    assertThat(missing).isEmpty();
  }
}

package dev.damask.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Pages written by hand that must agree with the code.
final class PagesTest {
  private static final Pattern INVARIANT = Pattern.compile("\"(I\\d+) ");
  private static final Pattern REQUIRED = Pattern.compile("\"(I\\d+)\"");
  private static final Pattern LISTED = Pattern.compile("(?m)^## (I\\d+) ");
  static final Pattern RULE = Pattern.compile("@Rule\\((?:value = )?\"([A-Z-]+)\"");
  static final Pattern EVENT = Pattern.compile("TraceEvent\\.Kind\\.\\w+,\\s*\"([A-Z-]+)\"");
  private static final Pattern HEADING = Pattern.compile("(?m)^## ([A-Z-]+)$");
  private static final Pattern INFERENCE =
      Pattern.compile("(?m)^## ([A-Z-]+)\\n\\n```\\n[^`]+\\n-{10,}\\n[^`]+\\n```$");
  private static final Pattern MUTANT = Pattern.compile("(?m)^ {2,4}([A-Z]+(?:_[A-Z]+)+)\\(");
  private static final Pattern NAMED_MUTANT = Pattern.compile("`([A-Z]+(?:_[A-Z]+)+)`");
  private static final Pattern TEST = Pattern.compile("`(\\w+Test)`");
  private static final Pattern PACKAGE_ROW = Pattern.compile("(?m)^\\| `([a-z]+)` \\|");
  private static final Pattern CODE = Pattern.compile("(?s)```.*?```");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s#]+)(?:#[^)\\s]*)?\\)");

  private static TreeSet<String> all(Pattern pattern, String text) {
    TreeSet<String> found = new TreeSet<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }

  @Test
  void every_invariant_that_is_checked_is_listed_and_none_is_made_up() {
    TreeSet<String> checked = all(INVARIANT, Repository.kernel());
    String facts = "simulator/src/main/java/dev/damask/simulation/FactInvariant.java";
    checked.addAll(all(REQUIRED, Repository.read(facts)));

    assertThat(all(LISTED, Repository.read("docs/invariants.md"))).isEqualTo(checked).isNotEmpty();
  }

  @Test
  void every_test_that_a_page_names_exists() {
    TreeSet<String> there = new TreeSet<>();
    Repository.java()
        .forEach(file -> there.add(file.getFileName().toString().replace(".java", "")));
    List<String> missing = new ArrayList<>();
    int named = 0;
    for (Path page : Repository.files()) {
      String name = Repository.name(page);
      if (name.endsWith(".md") && !name.startsWith("docs/adr/") && !name.equals("CHANGELOG.md")) {
        for (String test : all(TEST, Repository.read(page))) {
          named++;
          if (!there.contains(test)) {
            missing.add(name + " names " + test);
          }
        }
      }
    }

    assertThat(missing).isEmpty();
    assertThat(named).isGreaterThan(50);
  }

  @Test
  void every_planted_bug_is_listed_and_none_is_made_up() {
    TreeSet<String> planted =
        all(
            MUTANT,
            Repository.read("simulator/src/test/java/dev/damask/simulation/Mutant.java")
                + Repository.read(
                    "store-rocksdb/src/test/java/dev/damask/store/rocksdb/StoreMutantsTest.java")
                + Repository.read("crash/src/test/java/dev/damask/crash/ModuleMutant.java")
                + Repository.read(
                    "store-postgres/src/test/java/dev/damask/store/postgres/NodesMutant.java"));

    assertThat(all(NAMED_MUTANT, Repository.read("docs/planted-bugs.md")))
        .isEqualTo(planted)
        .hasSizeGreaterThan(30);
  }

  @Test
  void every_rule_has_a_heading_and_every_heading_a_rule() {
    TreeSet<String> rules = all(RULE, Repository.kernel());
    rules.addAll(all(EVENT, Repository.kernel()));

    assertThat(rules).contains("JOIN-FIRE", "PAR-FORK", "END");
    assertThat(all(HEADING, Repository.read("docs/semantics.md"))).isEqualTo(rules);
  }

  @Test
  void every_rule_has_premises_and_a_conclusion() {
    String page = Repository.read("docs/semantics.md");

    assertThat(all(INFERENCE, page)).isEqualTo(all(HEADING, page)).isNotEmpty();
  }

  @Test
  void the_rule_names_of_the_design_documents_are_mapped() {
    String page = Repository.read("docs/semantics.md");

    assertThat(page)
        .contains("SEQ-DONE", "PAR-COMPLETE", "PAR-JOIN", "JOIN-ALL", "JOIN-FIRST-N")
        .contains("JOIN-FIRST-COMPLETE", "JOIN-N-OF-M", "JOIN-SYNC-MERGE", "LOOP-WHILE")
        .contains("LOOP-UNTIL", "LOOP-COUNT", "DEFER-WAIT", "DEFER-SELECT", "CANCEL-ENTER")
        .contains("CANCEL-NESTED", "CANCEL-EXIT", "MI-SPAWN-FIXED", "MI-SPAWN-DYNAMIC")
        .contains("MI-COLLECT", "SEQ-LEFT", "SEQ-RIGHT");
  }

  @Test
  void every_link_of_a_page_leads_to_a_file() {
    List<String> broken = new ArrayList<>();
    for (Path page : Repository.files()) {
      if (!page.toString().endsWith(".md")) {
        continue;
      }
      String text = CODE.matcher(Repository.read(page)).replaceAll("");
      for (String link : all(LINK, text)) {
        if (!link.startsWith("http") && !Files.exists(page.resolveSibling(link))) {
          broken.add(Repository.name(page) + " links to " + link);
        }
      }
    }

    assertThat(broken).isEmpty();
  }

  @Test
  void the_first_screen_of_the_readme_has_at_most_sixty_lines() {
    List<String> lines = Repository.read("README.md").lines().toList();
    int second = lines.indexOf("## Install, run, test");

    assertThat(second).isBetween(1, 60);
    assertThat(lines.subList(0, second)).anyMatch(line -> line.contains("exec/Machine.java"));
  }

  @Test
  void the_page_of_the_architecture_names_every_package_of_the_engine() {
    String sources = "engine/src/main/java/dev/damask/";
    TreeSet<String> packages = new TreeSet<>();
    for (Path file : Repository.java()) {
      String name = Repository.name(file);
      if (name.startsWith(sources)) {
        packages.add(name.substring(sources.length(), name.lastIndexOf('/')));
      }
    }

    assertThat(all(PACKAGE_ROW, Repository.read("docs/architecture.md")))
        .isEqualTo(packages)
        .contains("cases", "steps");
  }

  @Test
  void the_pages_are_where_readers_look_for_them() {
    assertThat(Repository.ROOT.resolve("docs/reference/opcodes.md")).satisfies(Files::exists);
  }
}

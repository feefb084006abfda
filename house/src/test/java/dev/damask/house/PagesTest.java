package dev.damask.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Pages written by hand that must agree with the code.
final class PagesTest {
  private static final Pattern INVARIANT = Pattern.compile("\"(I\\d+) ");
  private static final Pattern LISTED = Pattern.compile("(?m)^## (I\\d+) ");
  private static final Pattern RULE = Pattern.compile("@Rule\\((?:value = )?\"([A-Z-]+)\"");
  private static final Pattern EVENT =
      Pattern.compile("TraceEvent\\.Kind\\.\\w+,\\s*\"([A-Z-]+)\"");
  private static final Pattern HEADING = Pattern.compile("(?m)^## ([A-Z-]+)$");
  private static final Pattern TEST = Pattern.compile("`(\\w+Test)`");

  private static TreeSet<String> all(Pattern pattern, String text) {
    TreeSet<String> found = new TreeSet<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }

  @Test
  void every_invariant_the_kernel_checks_is_listed_and_none_is_made_up() {
    TreeSet<String> checked = all(INVARIANT, Repository.kernel());

    assertThat(all(LISTED, Repository.read("docs/invariants.md"))).isEqualTo(checked).isNotEmpty();
  }

  @Test
  void every_test_that_the_invariants_name_exists() {
    TreeSet<String> named = all(TEST, Repository.read("docs/invariants.md"));
    TreeSet<String> there = new TreeSet<>();
    Repository.java()
        .forEach(file -> there.add(file.getFileName().toString().replace(".java", "")));

    assertThat(there).containsAll(named);
  }

  @Test
  void every_rule_has_a_heading_and_every_heading_a_rule() {
    TreeSet<String> rules = all(RULE, Repository.kernel());
    rules.addAll(all(EVENT, Repository.kernel()));

    assertThat(rules).contains("JOIN-FIRE", "PAR-FORK", "END");
    assertThat(all(HEADING, Repository.read("docs/semantics.md"))).isEqualTo(rules);
  }

  @Test
  void the_pages_are_where_readers_look_for_them() {
    assertThat(Repository.ROOT.resolve("docs/reference/opcodes.md")).satisfies(Files::exists);
  }
}

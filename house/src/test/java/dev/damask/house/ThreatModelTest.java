package dev.damask.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Each line of the threat model names tests, and the tests exist.
final class ThreatModelTest {
  private static final Pattern NAMED = Pattern.compile("`(\\w+Test)(?:\\.(\\w+))?`");

  private static Map<String, String> tests() {
    Map<String, String> all = new HashMap<>();
    for (Path file : Repository.java()) {
      String name = String.valueOf(file.getFileName());
      if (name.endsWith("Test.java")) {
        all.merge(name.replace(".java", ""), Repository.read(file), (a, b) -> a + b);
      }
    }
    return all;
  }

  private static List<String> wrong(String page, Map<String, String> tests) {
    List<String> wrong = new ArrayList<>();
    List<String> rows =
        page.lines()
            .filter(each -> each.startsWith("|") && each.split("\\|", -1).length == 7)
            .skip(2) // the head of the table
            .toList();
    for (String row : rows) {
      String column = row.split("\\|", -1)[5];
      Matcher named = NAMED.matcher(column);
      boolean isNamed = false;
      while (named.find()) {
        isNamed = true;
        String text = tests.get(named.group(1));
        String method = named.group(2);
        if (text == null || (method != null && !text.contains("void " + method + "("))) {
          wrong.add("no test " + named.group());
        }
      }
      if (!isNamed) {
        wrong.add("no test in: " + row);
      }
    }
    assertThat(rows).isNotEmpty();
    return wrong;
  }

  @Test
  void each_line_of_the_threat_model_names_tests_that_exist() {
    assertThat(wrong(Repository.read("docs/security.md"), tests())).isEmpty();
  }

  @Test
  void a_line_with_another_name_is_noticed() {
    String page =
        """
        | who |a|b|c| test |
        |---|---|---|---|---|
        | x |a|b|c| `GoneTest.one` |
        | y |a|b|c| the same |
        """;

    assertThat(wrong(page, Map.of("HereTest", "void one("))).hasSize(2);
    assertThat(wrong(page.replace("GoneTest", "HereTest"), Map.of("HereTest", "void one(")))
        .hasSize(1);
  }
}

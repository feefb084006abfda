package dev.damask.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Checks that imports between the packages of all modules have no cycles, and that the packages of
/// the command line import each other in one direction.
final class CyclesTest {
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([a-z.]+);");
  private static final Pattern NAME = Pattern.compile("\\bdev\\.damask(?:\\.[a-z]+)+");
  private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*//.*$|(?s)/\\*.*?\\*/");
  private static final String CLI = "dev.damask.cli";

  /// The packages of the command line that each of them may import. Each stands after those it may
  /// import.
  private static final List<Map.Entry<String, List<String>>> TABLE =
      List.of(
          Map.entry("command", List.of()),
          Map.entry("cases", List.of("command")),
          Map.entry("sessions", List.of("command", "cases")),
          Map.entry("run", List.of("command", "cases", "sessions")),
          Map.entry("check", List.of("command")));

  /// The packages that each package names, from the text of its sources.
  private static Map<String, TreeSet<String>> imports(List<String> sources) {
    Map<String, TreeSet<String>> imports = new TreeMap<>();
    for (String source : sources) {
      Matcher own = PACKAGE.matcher(source);
      if (own.find()) {
        TreeSet<String> names = imports.computeIfAbsent(own.group(1), _ -> new TreeSet<>());
        Matcher name = NAME.matcher(COMMENT.matcher(source).replaceAll(""));
        while (name.find()) {
          names.add(name.group());
        }
        names.remove(own.group(1));
      }
    }
    imports.values().forEach(names -> names.retainAll(imports.keySet()));
    return imports;
  }

  private static List<String> sources() {
    return Repository.java().stream()
        .filter(file -> Repository.name(file).replace('\\', '/').contains("/src/main/java/"))
        .filter(file -> !file.endsWith("module-info.java"))
        .map(Repository::read)
        .toList();
  }

  /// The packages that import themselves through others: those left when all packages without
  /// imports have been removed again and again.
  private static TreeSet<String> cyclic(Map<String, TreeSet<String>> imports) {
    Map<String, TreeSet<String>> left = new TreeMap<>();
    imports.forEach((name, names) -> left.put(name, new TreeSet<>(names)));
    while (left.values().removeIf(TreeSet::isEmpty)) {
      left.values().forEach(names -> names.retainAll(left.keySet()));
    }
    return new TreeSet<>(left.keySet());
  }

  private static List<String> forbidden(Map<String, TreeSet<String>> imports) {
    List<String> found = new ArrayList<>();
    for (Map.Entry<String, List<String>> row : TABLE) {
      for (String each : imports.getOrDefault(CLI + "." + row.getKey(), new TreeSet<>())) {
        boolean isAllowed =
            !each.startsWith(CLI)
                || row.getValue().stream().anyMatch(name -> each.equals(CLI + "." + name));
        if (!isAllowed) {
          found.add(row.getKey() + " imports " + each);
        }
      }
    }
    return found;
  }

  @Test
  void packages_have_no_cycles() {
    Map<String, TreeSet<String>> imports = imports(sources());

    assertThat(cyclic(imports)).isEmpty();
    assertThat(imports).hasSizeGreaterThan(30);
    assertThat(imports.get("dev.damask.exec")).contains("dev.damask.event");
  }

  @Test
  void the_packages_of_the_command_line_import_each_other_in_one_direction() {
    Map<String, TreeSet<String>> imports = imports(sources());

    assertThat(forbidden(imports)).isEmpty();
    assertThat(imports.keySet().stream().filter(name -> name.startsWith(CLI + ".")))
        .containsExactlyInAnyOrderElementsOf(
            TABLE.stream().map(row -> CLI + "." + row.getKey()).toList());
  }

  @Test
  void the_rules_are_alive() {
    String left = "package dev.damask.left;\nimport dev.damask.middle.A;\n";
    String middle = "package dev.damask.middle;\nclass A extends dev.damask.right.B {}\n";
    String right = "package dev.damask.right;\nimport static dev.damask.left.C.d;\n";
    String comment = "package dev.damask.right;\n/// See dev.damask.left.\n";
    String run = "package dev.damask.cli.run;\nclass A {}\n";
    String cases = "package dev.damask.cli.cases;\nimport dev.damask.cli.run.A;\n";

    assertThat(cyclic(imports(List.of(left, middle, right)))).hasSize(3);
    assertThat(cyclic(imports(List.of(left, middle, comment)))).isEmpty();
    assertThat(forbidden(imports(List.of(run, cases))))
        .containsExactly("cases imports dev.damask.cli.run");
  }
}

package dev.damask.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Checks that packages are small and that every type has a name of its own.
final class PackagesTest {
  private static final int FILES_MAX = 45;
  private static final String MAIN = "/src/main/java/";

  private static List<String> sources() {
    return Repository.java().stream()
        .map((Path file) -> Repository.name(file).replace('\\', '/'))
        .filter(name -> name.contains(MAIN) && !name.endsWith("-info.java"))
        .toList();
  }

  /// The number of files of each package that has too many.
  private static Map<String, Integer> large(List<String> sources) {
    Map<String, Integer> counts = new TreeMap<>();
    for (String name : sources) {
      counts.merge(name.substring(0, name.lastIndexOf('/')), 1, Integer::sum);
    }
    counts.values().removeIf(count -> count <= FILES_MAX);
    return counts;
  }

  private static List<String> twice(List<String> sources) {
    Map<String, Integer> counts = new TreeMap<>();
    for (String name : sources) {
      String type = name.substring(name.lastIndexOf('/') + 1, name.length() - ".java".length());
      counts.merge(type, 1, Integer::sum);
    }
    counts.values().removeIf(count -> count < 2);
    return new ArrayList<>(counts.keySet());
  }

  @Test
  void a_package_has_few_files() {
    assertThat(large(sources())).isEmpty();
  }

  @Test
  void no_two_types_have_one_name() {
    assertThat(twice(sources())).isEmpty();
  }

  @Test
  void the_rules_are_alive() {
    List<String> sources = new ArrayList<>();
    for (int i = 0; i <= FILES_MAX; i++) {
      sources.add("a/src/main/java/p/T" + i + ".java");
    }
    sources.add("b/src/main/java/q/T7.java");

    assertThat(large(sources)).containsExactly(Map.entry("a/src/main/java/p", FILES_MAX + 1));
    assertThat(twice(sources)).containsExactly("T7");
  }
}

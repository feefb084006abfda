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

/// Each module requires only the modules that the table allows.
final class ModulesTest {
  private static final Pattern REQUIRES =
      Pattern.compile("requires (?:static |transitive )*(?:dev\\.damask\\.)([a-z.]+);");

  /// The modules that a module may require. Each stands after those it may require, so that there
  /// are no cycles. `examples` sees what a user sees; `cli` assembles everything.
  private static final List<Map.Entry<String, List<String>>> TABLE =
      List.of(
          Map.entry("kernel", List.of()),
          Map.entry("nursery", List.of()),
          Map.entry("json", List.of()),
          Map.entry("engine", List.of("kernel", "nursery")),
          Map.entry("typed", List.of("engine")),
          Map.entry("effects-http", List.of("engine", "json")),
          Map.entry("store-rocksdb", List.of("engine")),
          Map.entry("store-postgres", List.of("engine", "json")),
          Map.entry("document", List.of("kernel", "json")),
          Map.entry("verify", List.of("kernel")),
          Map.entry("drawing", List.of("kernel")),
          Map.entry("inspector", List.of()),
          Map.entry("scenario", List.of("document", "engine")),
          Map.entry("testkit", List.of("scenario")),
          Map.entry("simulator", List.of("testkit")),
          Map.entry("orchestration", List.of("engine", "effects-http", "document", "json")),
          Map.entry("micrometer", List.of("engine")),
          Map.entry("examples", List.of("engine", "typed", "store-rocksdb", "store-postgres")),
          Map.entry(
              "server",
              List.of(
                  "engine",
                  "json",
                  "document",
                  "scenario",
                  "orchestration",
                  "drawing",
                  "verify",
                  "inspector")),
          Map.entry(
              "spring-boot-starter", List.of("typed", "micrometer", "store-postgres", "server")),
          Map.entry(
              "cli",
              List.of(
                  "engine",
                  "effects-http",
                  "json",
                  "orchestration",
                  "scenario",
                  "server",
                  "verify",
                  "drawing")));

  private static Map<String, TreeSet<String>> required() {
    Map<String, TreeSet<String>> required = new TreeMap<>();
    Repository.java().stream()
        .filter(file -> file.endsWith("module-info.java"))
        .forEach(file -> {
          Matcher names = REQUIRES.matcher(Repository.read(file));
          TreeSet<String> all = new TreeSet<>();
          while (names.find()) {
            all.add(names.group(1).replace('.', '-'));
          }
          required.put(Repository.name(file).replaceFirst("/.*", ""), all);
        });
    return required;
  }

  private static List<String> forbidden(Map<String, TreeSet<String>> required) {
    List<String> found = new ArrayList<>();
    for (Map.Entry<String, List<String>> row : TABLE) {
      for (String each : required.getOrDefault(row.getKey(), new TreeSet<>())) {
        if (!row.getValue().contains(each)) {
          found.add(row.getKey() + " requires " + each);
        }
      }
    }
    return found;
  }

  @Test
  void modules_require_only_what_the_table_allows() {
    assertThat(forbidden(required())).isEmpty();
  }

  @Test
  void the_table_names_every_module_and_has_no_cycles() {
    List<String> names = TABLE.stream().map(Map.Entry::getKey).toList();

    assertThat(names).containsExactlyInAnyOrderElementsOf(required().keySet());
    for (Map.Entry<String, List<String>> row : TABLE) {
      assertThat(names.subList(0, names.indexOf(row.getKey()))).containsAll(row.getValue());
    }
  }

  @Test
  void a_module_that_requires_too_much_is_noticed() {
    assertThat(forbidden(Map.of("json", new TreeSet<>(List.of("kernel")))))
        .containsExactly("json requires kernel");
  }
}

package dev.damask.house;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The packages of the kernel import only what stands to their left.
final class LayerTest {
  private static final String BASE = "dev.damask.";

  /// Which packages of the kernel a package may import.
  private static Map<String, List<String>> table() {
    Map<String, List<String>> table = new LinkedHashMap<>();
    table.put("value", List.of());
    table.put("encoding", List.of("value"));
    table.put("task", List.of("value"));
    table.put("term", List.of("task", "value"));
    // A check looks into the guards of a term: one that is constant is worth a warning.
    table.put("check", List.of("task", "term", "value"));
    table.put("program", List.of("term", "task", "value"));
    table.put("compile", List.of("value", "task", "term", "check", "program"));
    table.put("description", List.of("compile", "program", "term", "task", "value"));
    table.put("event", List.of("program", "task", "term", "value"));
    table.put("migration", List.of("event", "program", "term"));
    // The parts of a state are public, so that the machine reaches them. No other package may.
    table.put("state", List.of("event", "program", "task", "term", "value"));
    table.put(
        "exec",
        List.of("encoding", "event", "migration", "program", "state", "task", "term", "value"));
    table.put("schedule", List.of("event"));
    // A recorder starts cases and a printer shows places, so these three as well.
    table.put("trace", List.of("exec", "event", "schedule", "program", "task", "term", "value"));
    return table;
  }

  private static ArchRule layers(Map<String, List<String>> table) {
    LayeredArchitecture rule = layeredArchitecture().consideringOnlyDependenciesInLayers();
    for (String each : table.keySet()) {
      rule = rule.layer(each).definedBy(BASE + each);
    }
    for (Map.Entry<String, List<String>> each : table.entrySet()) {
      String[] may = each.getValue().toArray(String[]::new);
      rule =
          may.length == 0
              ? rule.whereLayer(each.getKey()).mayNotAccessAnyLayer()
              : rule.whereLayer(each.getKey()).mayOnlyAccessLayers(may);
    }
    return rule;
  }

  @Test
  void packages_import_only_what_the_table_allows() {
    layers(table()).check(Classes.kernel());
  }

  @Test
  void the_table_names_every_package_of_the_kernel() {
    assertThat(
            Classes.kernel().stream()
                .map(each -> each.getPackageName())
                .filter(name -> !name.isEmpty())
                .distinct())
        .containsExactlyInAnyOrderElementsOf(
            table().keySet().stream().map(each -> BASE + each).toList());
  }

  @Test
  void there_are_no_cycles_between_packages() {
    slices().matching("dev.damask.(*)..").should().beFreeOfCycles().check(Classes.kernel());
  }

  @Test
  void the_layer_rule_is_alive() {
    Map<String, List<String>> stricter = table();
    stricter.put("compile", List.of("value", "task", "term", "check"));

    assertThatThrownBy(() -> layers(stricter).check(Classes.kernel()))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("dev.damask.compile.Compiler");
  }

  @Test
  void the_rule_against_cycles_is_alive() {
    JavaClasses cyclic = Classes.wrong();

    assertThat(cyclic.contain("dev.damask.wrong.left.Left")).isTrue();
    assertThatThrownBy(
            () -> slices().matching("dev.damask.wrong.(*)").should().beFreeOfCycles().check(cyclic))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Cycle detected");
  }

  @Test
  void the_kernel_depends_on_nothing_but_the_jdk() {
    com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses()
        .should()
        .dependOnClassesThat(
            com.tngtech.archunit.base.DescribedPredicate.not(
                resideInAPackage("dev.damask..")
                    .or(resideInAPackage("java.."))
                    .or(resideInAPackage("org.jspecify.annotations"))))
        .check(Classes.kernel());
  }
}

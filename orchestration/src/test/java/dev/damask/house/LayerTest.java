package dev.damask.house;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import dev.damask.session.Sessions;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Each package of the orchestrations imports only the packages before it.
final class LayerTest {
  private static final String BASE = "dev.damask.";
  private static final List<String> ORDER =
      List.of("source", "rule", "graph", "step", "registry", "session", "plan");

  private static JavaClasses classes() throws URISyntaxException {
    return new ClassFileImporter()
        .importPath(
            Path.of(Sessions.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
  }

  private static ArchRule layers(List<String> order) {
    LayeredArchitecture rule = layeredArchitecture().consideringOnlyDependenciesInLayers();
    for (String each : order) {
      rule = rule.layer(each).definedBy(BASE + each);
    }
    for (int i = 0; i < order.size(); i++) {
      String[] before = order.subList(0, i).toArray(String[]::new);
      rule =
          before.length == 0
              ? rule.whereLayer(order.get(i)).mayNotAccessAnyLayer()
              : rule.whereLayer(order.get(i)).mayOnlyAccessLayers(before);
    }
    return rule;
  }

  @Test
  void a_package_imports_only_the_packages_before_it() throws Exception {
    layers(ORDER).check(classes());
  }

  @Test
  void the_order_names_every_package_of_the_module() throws Exception {
    assertThat(
            classes().stream()
                .map(each -> each.getPackageName())
                .filter(name -> !name.isEmpty())
                .distinct())
        .containsExactlyInAnyOrderElementsOf(ORDER.stream().map(each -> BASE + each).toList());
  }

  @Test
  void there_are_no_cycles_between_packages() throws Exception {
    slices().matching("dev.damask.(*)..").should().beFreeOfCycles().check(classes());
  }

  @Test
  void the_layer_rule_is_alive() {
    List<String> wrong = List.of("source", "graph", "rule", "step", "registry", "session", "plan");

    assertThatThrownBy(() -> layers(wrong).check(classes()))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("dev.damask.graph.OrchestrationCheck");
  }
}

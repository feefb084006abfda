package dev.damask.nursery;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// The nursery stands on the JDK alone.
class LayerTest {

  private static final ArchRule ALONE =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("dev.damask.nursery", "java..", "jdk.jfr", "org.jspecify..");

  @Test
  void the_nursery_uses_nothing_but_the_jdk_and_annotations() {
    JavaClasses own =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.damask.nursery");

    assertThat(own).isNotEmpty();
    ALONE.check(own);
  }

  @Test
  void the_rule_finds_a_class_that_uses_something_else() {
    JavaClasses tests = new ClassFileImporter().importClasses(LayerTest.class);

    assertThat(ALONE.evaluate(tests).hasViolation()).isTrue();
  }

  @Test
  void the_module_requires_nothing_but_the_jdk_and_annotations() {
    Set<String> required =
        Nursery.class.getModule().getDescriptor().requires().stream()
            .map(java.lang.module.ModuleDescriptor.Requires::name)
            .collect(Collectors.toSet());

    assertThat(required).containsExactlyInAnyOrder("java.base", "jdk.jfr", "org.jspecify");
  }
}

package dev.damask.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The kernel knows no clock, no chance, no thread, no file, no log, and nothing whose answer
/// depends on the machine it runs on. Every rule is proved alive by a class that breaks it on
/// purpose.
final class DeterminismTest {
  /// Calls and types that are forbidden, as `owner.member(parameter types)`.
  private static final List<Pattern> FORBIDDEN =
      List.of(
          // the clock
          Pattern.compile("java\\.time\\.\\w+\\.now\\(.*"),
          Pattern.compile("java\\.time\\.(Clock|InstantSource)\\..*"),
          Pattern.compile("java\\.lang\\.System\\.(nanoTime|currentTimeMillis)\\(.*"),
          // chance without a given seed
          Pattern.compile("java\\.lang\\.Math\\.random\\(.*"),
          Pattern.compile("java\\.util\\.UUID\\.randomUUID\\(.*"),
          Pattern.compile("java\\.util\\.(Random|SplittableRandom)\\.<init>\\(\\)"),
          Pattern.compile("java\\.util\\.concurrent\\.ThreadLocalRandom\\..*"),
          Pattern.compile("java\\.security\\.SecureRandom\\..*"),
          // threads
          Pattern.compile("java\\.lang\\.(Thread|Thread\\$\\w+|ThreadLocal|Runtime)\\..*"),
          Pattern.compile("java\\.util\\.concurrent\\.(?!ThreadLocalRandom).*"),
          Pattern.compile("java\\.util\\.\\w+\\.parallelStream\\(.*"),
          Pattern.compile("java\\.util\\.stream\\.\\w+\\.parallel\\(.*"),
          // files, networks, logs (java.util.logging is out of the module's sight anyway)
          Pattern.compile("java\\.(io|net|nio\\.file|nio\\.channels)\\..*"),
          Pattern.compile("java\\.lang\\.System\\.(out|err|in|getLogger|getenv|getProperty).*"),
          Pattern.compile("java\\.lang\\.System\\$Logger.*"),
          // orders that differ from one JVM to the next
          Pattern.compile("java\\.util\\.(Map|Set)\\.(of|ofEntries|copyOf)\\(.*"),
          Pattern.compile("java\\.lang\\.System\\.identityHashCode\\(.*"),
          // default locale, zone and charset
          Pattern.compile("java\\.lang\\.String\\.formatted\\(.*"),
          Pattern.compile("java\\.lang\\.String\\.format\\(java\\.lang\\.String,.*"),
          Pattern.compile("java\\.lang\\.String\\.to(Lower|Upper)Case\\(\\)"),
          Pattern.compile("java\\.lang\\.String\\.getBytes\\(\\)"),
          Pattern.compile("java\\.lang\\.String\\.<init>\\(\\[B\\)"),
          Pattern.compile("java\\.util\\.Locale\\.getDefault\\(.*"),
          Pattern.compile("java\\.time\\.ZoneId\\.systemDefault\\(.*"),
          Pattern.compile("java\\.nio\\.charset\\.Charset\\.defaultCharset\\(.*"),
          // reflection, but to read the rule of an opcode
          Pattern.compile("java\\.lang\\.reflect\\..*"),
          Pattern.compile(
              "java\\.lang\\.Class\\.(forName|getMethod|getField|getDeclared)\\w*\\(.*"));

  /// What a class does that is forbidden.
  private static List<String> sins(JavaClass each) {
    List<String> sins = new ArrayList<>();
    for (JavaAccess<?> access : each.getAccessesFromSelf()) {
      String call = describe(access);
      if (FORBIDDEN.stream().anyMatch(pattern -> pattern.matcher(call).matches())) {
        sins.add(access.getDescription());
      }
    }
    return sins;
  }

  private static String describe(JavaAccess<?> access) {
    String target = access.getTargetOwner().getName() + "." + access.getName();
    return access.getTarget() instanceof CodeUnitCallTarget call
        ? target + "(" + String.join(",", names(call.getRawParameterTypes())) + ")"
        : target;
  }

  private static List<String> names(List<JavaClass> types) {
    return types.stream().map(JavaClass::getName).toList();
  }

  @Test
  void the_kernel_does_nothing_that_depends_on_when_where_or_by_whom_it_is_run() {
    JavaClasses kernel = Classes.kernel();
    List<String> sins = new ArrayList<>();
    kernel.forEach(each -> sins.addAll(sins(each)));

    assertThat(kernel.size()).isGreaterThan(100);
    assertThat(sins).isEmpty();
  }

  @Test
  void every_class_that_breaks_a_rule_on_purpose_is_caught() {
    JavaClasses wrong = Classes.wrong();
    TreeSet<String> free = new TreeSet<>();
    for (JavaClass each : wrong) {
      if (each.getName().contains("Culprits$") && sins(each).isEmpty()) {
        free.add(each.getSimpleName());
      }
    }

    assertThat(free).isEmpty();
  }

  @Test
  void every_rule_catches_somebody() {
    JavaClasses wrong = Classes.wrong();
    TreeSet<String> calls = new TreeSet<>();
    wrong.forEach(each -> each.getAccessesFromSelf().forEach(a -> calls.add(describe(a))));
    List<String> idle =
        FORBIDDEN.stream()
            .filter(rule -> calls.stream().noneMatch(call -> rule.matcher(call).matches()))
            .map(Pattern::pattern)
            .toList();

    assertThat(idle).isEmpty();
  }
}

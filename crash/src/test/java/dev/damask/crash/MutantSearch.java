package dev.damask.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import dev.damask.cases.Engine;
import dev.damask.exec.Machine;
import dev.damask.nursery.Nursery;
import dev.damask.scenario.ScenarioDocument;
import dev.damask.simulation.Mutating;
import dev.damask.store.postgres.PostgresCluster;
import dev.damask.store.rocksdb.RocksStore;
import dev.damask.testkit.TestEngine;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.platform.engine.DiscoverySelector;

/// Runs the test class of a mutant on the changed classes. The test that fails must pass on the
/// classes as they are.
final class MutantSearch {
  /// When a test has found a mutant that keeps it from returning.
  private static final Duration BLOCKED = Duration.ofSeconds(5);

  private static final Duration TEST_MAX = Duration.ofMinutes(2);

  /// A class of each module whose tests are run.
  private static final List<Class<?>> MODULES =
      List.of(
          Machine.class,
          Nursery.class,
          Engine.class,
          RocksStore.class,
          ScenarioDocument.class,
          TestEngine.class,
          PostgresCluster.class);

  private MutantSearch() {}

  /// Searches for one mutant in a process of its own.
  static void main(String[] arguments) throws Exception {
    System.out.println(find(ModuleMutant.valueOf(arguments[0])));
    Runtime.getRuntime().halt(0); // a mutant may have left threads behind
  }

  /// Returns how the mutant was found. Throws `AssertionError` if it was not.
  static String find(ModuleMutant mutant)
      throws IOException, URISyntaxException, ReflectiveOperationException, InterruptedException {
    List<URL> folders = new ArrayList<>();
    for (Class<?> each : MODULES) {
      folders.add(tests(each));
    }
    try (URLClassLoader classes =
        new URLClassLoader(folders.toArray(URL[]::new), MutantSearch.class.getClassLoader())) {
      return find(mutant, classes);
    }
  }

  private static String find(ModuleMutant mutant, ClassLoader classes)
      throws ReflectiveOperationException, InterruptedException {
    boolean blocks = mutant.kind == ModuleMutant.Kind.BLOCKS;
    Mutating changed = mutant.load(classes);
    DiscoverySelector tests = selectClass(changed.loadClass(mutant.test));
    TestRun.Failed found = TestRun.of(changed, tests, blocks ? BLOCKED : TEST_MAX).failed();
    assertThat(found).as("%s, found by no test of %s", mutant, mutant.test).isNotNull();
    Throwable thrown = Objects.requireNonNull(found).thrown();
    // A class that does not link is no bug.
    assertThat(thrown).isNotInstanceOfAny(LinkageError.class, IllegalAccessException.class);
    if (!blocks) {
      assertThat(thrown).isNotInstanceOf(InterruptedException.class);
    }
    TestRun.Result control =
        TestRun.of(Mutating.nothing(classes), selectUniqueId(found.id()), TEST_MAX);
    assertThat(control.failed()).as("%s without the mutant", found.name()).isNull();
    assertThat(control.passed()).as("%s without the mutant", found.name()).isPositive();
    String first = String.valueOf(thrown).lines().findFirst().orElse("");
    return "%s: found by %s.%s: %s".formatted(mutant, mutant.test, found.name(), first);
  }

  /// The compiled tests of the module of a class, beside its classes or its jar.
  private static URL tests(Class<?> module) throws URISyntaxException, MalformedURLException {
    Path code = Path.of(module.getProtectionDomain().getCodeSource().getLocation().toURI());
    return code.resolveSibling("test-classes").toUri().toURL();
  }
}

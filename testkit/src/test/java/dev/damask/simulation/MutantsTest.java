package dev.damask.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The test of the tests: every planted bug is found by the simulator.
final class MutantsTest {
  private static final long RUNS_MAX = 1_500;

  /// Loads the engine and the simulator anew, with one method changed.
  private static final class Mutating extends ClassLoader {
    private final Mutant mutant;

    Mutating(Mutant mutant) {
      super(MutantsTest.class.getClassLoader());
      this.mutant = mutant;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolves) throws ClassNotFoundException {
      if (!name.startsWith("dev.damask.")) {
        return super.loadClass(name, resolves);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> known = findLoadedClass(name);
        return known == null ? define(name) : known;
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      String path = name.replace('.', '/') + ".class";
      try (InputStream in = Objects.requireNonNull(getParent()).getResourceAsStream(path)) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] bytes = in.readAllBytes();
        if (name.equals(mutant.className)) {
          ClassFile file = ClassFile.of();
          byte[] changed = file.transformClass(file.parse(bytes), mutant.transform());
          assertThat(changed).as("%s changes %s", mutant, name).isNotEqualTo(bytes);
          bytes = changed;
        }
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Mutant.class)
  void the_simulator_finds(Mutant mutant) throws Exception {
    Class<?> simulator = new Mutating(mutant).loadClass(Simulator.class.getName());
    Object made = simulator.getConstructor().newInstance();
    long begin = System.nanoTime();

    Optional<?> found =
        (Optional<?>)
            simulator
                .getMethod("search", long.class, long.class, LongConsumer.class)
                .invoke(made, 1L, RUNS_MAX, (LongConsumer) _ -> {});

    double seconds = (System.nanoTime() - begin) / 1e9;
    assertThat(found).as("%s after %d runs", mutant, RUNS_MAX).isPresent();
    System.out.printf("%s: found in %.2f s by %s%n", mutant, seconds, found.orElseThrow());
  }
}

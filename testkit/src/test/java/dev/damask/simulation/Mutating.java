package dev.damask.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.util.Objects;

/// Loads the engine and the simulator anew, with one method changed.
final class Mutating extends ClassLoader {
  private final Mutant mutant;

  Mutating(Mutant mutant) {
    super(Mutating.class.getClassLoader());
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

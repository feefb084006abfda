package dev.damask.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.util.Arrays;
import java.util.Objects;

/// Loads Damask again with one class changed: the compiled code gets a bug, and a test that is
/// loaded with it has to fail.
public final class Mutating extends ClassLoader {
  private static final ClassTransform COPY =
      ClassTransform.transformingMethodBodies(CodeBuilder::with);

  private final String className;
  private final byte[] changed;

  /// As below, with the classes of this program.
  public Mutating(String className, ClassTransform change) {
    this(className, change, Mutating.class.getClassLoader());
  }

  /// Changes one class. Throws `IllegalStateException` if the change leaves it as it is.
  ///
  /// @param classes finds the compiled classes
  public Mutating(String className, ClassTransform change, ClassLoader classes) {
    super(classes);
    this.className = className;
    this.changed = changed(className, change, classes);
  }

  private Mutating(ClassLoader classes) {
    super(classes);
    this.className = "";
    this.changed = new byte[0];
  }

  /// Loads Damask again without a change: a test that finds a bug must pass here.
  public static Mutating nothing(ClassLoader classes) {
    return new Mutating(classes);
  }

  private static byte[] changed(String className, ClassTransform change, ClassLoader classes) {
    byte[] bytes;
    try {
      bytes = read(className, classes);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("there is no class " + className + " to change", e);
    }
    byte[] changed = transform(bytes, change);
    if (Arrays.equals(transform(changed, COPY), transform(bytes, COPY))) {
      throw new IllegalStateException("the change leaves " + className + " as it is");
    }
    return changed;
  }

  /// Writes a class again with a new constant pool, so that equal code has equal bytes.
  private static byte[] transform(byte[] bytes, ClassTransform change) {
    ClassFile file = ClassFile.of(ClassFile.ConstantPoolSharingOption.NEW_POOL);
    return file.transformClass(file.parse(bytes), change);
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
    byte[] bytes =
        name.equals(className) ? changed : read(name, Objects.requireNonNull(getParent()));
    return defineClass(name, bytes, 0, bytes.length);
  }

  private static byte[] read(String name, ClassLoader classes) throws ClassNotFoundException {
    String path = name.replace('.', '/') + ".class";
    try (InputStream in = classes.getResourceAsStream(path)) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

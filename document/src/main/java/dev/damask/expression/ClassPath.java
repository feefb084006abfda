package dev.damask.expression;

/// The way to libraries whose jars share packages and so cannot be modules. They stay on the class
/// path, which this module has to read before it touches them.
final class ClassPath {
  private ClassPath() {}

  static void read() {
    Module own = ClassPath.class.getModule();
    ClassLoader loader = ClassPath.class.getClassLoader();
    if (own.isNamed() && loader != null) {
      own.addReads(loader.getUnnamedModule());
    }
  }
}

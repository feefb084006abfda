package dev.damask.expression;

/// Makes this module read the class path, which contains the regular expression library, because
/// its jar has no module name.
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

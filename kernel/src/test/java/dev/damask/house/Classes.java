package dev.damask.house;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;

/// The compiled classes the house rules look at.
final class Classes {
  private Classes() {}

  static JavaClasses kernel() {
    return new ClassFileImporter()
        .importPath(Path.of(System.getProperty("damask.classes", "target/classes")));
  }

  /// Classes that break the rules on purpose.
  static JavaClasses wrong() {
    Path tests = Path.of(System.getProperty("damask.test.classes", "target/test-classes"));
    return new ClassFileImporter().importPath(tests.resolve("dev/damask/wrong"));
  }

  /// A class that changes a state without a mark, on purpose.
  static JavaClasses unmarked() {
    Path tests = Path.of(System.getProperty("damask.test.classes", "target/test-classes"));
    return new ClassFileImporter().importPath(tests.resolve("dev/damask/exec/UnmarkedWrite.class"));
  }
}

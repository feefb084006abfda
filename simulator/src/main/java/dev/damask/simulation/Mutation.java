package dev.damask.simulation;

import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.ExceptionCatch;
import java.util.function.Consumer;

/// A bug in the methods of one name of a compiled class.
///
/// @param className the class, with its package
/// @param method the name of the methods; `*` for all
public record Mutation(String className, String method, MethodTransform change) {
  /// Loads Damask with the bug.
  public Mutating load() {
    return load(Mutating.class.getClassLoader());
  }

  /// Loads Damask with the bug.
  ///
  /// @param classes finds the compiled classes
  public Mutating load(ClassLoader classes) {
    return new Mutating(className, transform(), classes);
  }

  /// Returns the change of the class.
  public ClassTransform transform() {
    return ClassTransform.transformingMethods(this::concerns, change);
  }

  private boolean concerns(MethodModel model) {
    return model.code().isPresent()
        && (method.equals("*") || model.methodName().equalsString(method));
  }

  /// Replaces the body.
  public static MethodTransform body(Consumer<CodeBuilder> code) {
    return (builder, element) -> {
      if (element instanceof CodeModel) {
        builder.withCode(code);
      } else {
        builder.with(element);
      }
    };
  }

  /// Runs code before the body.
  public static MethodTransform before(Consumer<CodeBuilder> code) {
    return MethodTransform.transformingCode(
        new CodeTransform() {
          @Override
          public void atStart(CodeBuilder builder) {
            code.accept(builder);
          }

          @Override
          public void accept(CodeBuilder builder, CodeElement element) {
            builder.with(element);
          }
        });
  }

  /// Catches nothing of a type any more.
  ///
  /// @param type the internal name of the class in the `catch`
  public static MethodTransform withoutCatch(String type) {
    return MethodTransform.transformingCode((code, element) -> {
      boolean isLeft =
          element instanceof ExceptionCatch each
              && each.catchType().filter(it -> it.name().equalsString(type)).isPresent();
      if (!isLeft) {
        code.with(element);
      }
    });
  }
}

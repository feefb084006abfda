package dev.damask.process;

import java.lang.classfile.AccessFlags;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/// Makes each `synchronized` method call a method with its body inside a monitor of [Interposed].
final class SynchronizedMethods implements ClassTransform {
  private static final String SUFFIX = "$inside";

  @Override
  public void accept(ClassBuilder type, ClassElement element) {
    if (!(element instanceof MethodModel method)
        || (method.flags().flagsMask() & ClassFile.ACC_SYNCHRONIZED) == 0) {
      type.with(element);
      return;
    }
    int flags = method.flags().flagsMask() & ~ClassFile.ACC_SYNCHRONIZED;
    boolean isStatic = (flags & ClassFile.ACC_STATIC) != 0;
    String name = method.methodName().stringValue();
    ClassDesc owner = method.parent().orElseThrow().thisClass().asSymbol();
    type.withMethod(
        name + SUFFIX,
        method.methodTypeSymbol(),
        ClassFile.ACC_PRIVATE | ClassFile.ACC_SYNTHETIC | (isStatic ? ClassFile.ACC_STATIC : 0),
        inside -> method.code().ifPresent(inside::with));
    type.withMethod(
        name,
        method.methodTypeSymbol(),
        flags,
        outside ->
            method.forEach(each -> {
              if (each instanceof CodeModel) {
                outside.withCode(code -> guarded(code, owner, name, method));
              } else if (!(each instanceof AccessFlags)) {
                outside.with(each);
              }
            }));
  }

  private static void guarded(CodeBuilder code, ClassDesc owner, String name, MethodModel method) {
    MethodTypeDesc desc = method.methodTypeSymbol();
    boolean isStatic = (method.flags().flagsMask() & ClassFile.ACC_STATIC) != 0;
    lock(code, owner, isStatic, "enter");
    code.trying(
        body -> {
          if (!isStatic) {
            body.aload(0);
          }
          for (int i = 0; i < desc.parameterCount(); i++) {
            body.loadLocal(TypeKind.from(desc.parameterType(i)), body.parameterSlot(i));
          }
          if (isStatic) {
            body.invokestatic(owner, name + SUFFIX, desc);
          } else {
            body.invokevirtual(owner, name + SUFFIX, desc);
          }
          lock(body, owner, isStatic, "exit");
          body.return_(TypeKind.from(desc.returnType()));
        },
        handler ->
            handler.catchingAll(caught -> {
              lock(caught, owner, isStatic, "exit");
              caught.athrow();
            }));
  }

  private static void lock(CodeBuilder code, ClassDesc owner, boolean isStatic, String action) {
    if (isStatic) {
      code.loadConstant(owner);
    } else {
      code.aload(0);
    }
    code.invokestatic(VirtualLoader.INTERPOSED, action, VirtualLoader.MONITOR);
  }
}

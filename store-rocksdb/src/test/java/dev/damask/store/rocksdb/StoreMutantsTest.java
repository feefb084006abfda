package dev.damask.store.rocksdb;

import static dev.damask.simulation.Mutation.body;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.simulation.Mutation;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The test of the tests of the store: each planted bug is found by [StoresAgreeTest].
@Timeout(120)
final class StoreMutantsTest {
  @TempDir Path folder;

  /// Bugs in the compiled store.
  @SuppressWarnings("ImmutableEnumChecker") // the changes are functions without state of their own
  enum StoreMutant {
    /// The keys that go with a case are those that begin with its id.
    REMOVES_BY_THE_START_OF_THE_ID(
        "dev.damask.store.rocksdb.Changes",
        "removeAll",
        MethodTransform.transformingCode(new ShorterPrefix())),
    ACCEPTS_A_STALE_EPOCH("dev.damask.store.Commits", "require", body(CodeBuilder::return_)),
    ACKNOWLEDGES_THE_NEIGHBOURS_OF_A_FAILED_BATCH(
        "dev.damask.store.rocksdb.GroupCommit", "write", each(StoreMutant::success)),
    SKIPS_THE_WRITE("dev.damask.store.rocksdb.CommitEncoder", "sync", body(CodeBuilder::return_));

    private final Mutation mutation;

    StoreMutant(String className, String method, MethodTransform change) {
      this.mutation = new Mutation(className, method, change);
    }

    private static MethodTransform each(CodeTransform change) {
      return MethodTransform.transformingCode(change);
    }

    private static void success(CodeBuilder code, CodeElement element) {
      if (element instanceof InvokeInstruction call
          && call.name().equalsString("completeExceptionally")) {
        ClassDesc future = ClassDesc.of("java.util.concurrent.CompletableFuture");
        code.pop()
            .aconst_null()
            .invokevirtual(future, "complete", MethodTypeDesc.of(CD_boolean, CD_Object));
      } else {
        code.with(element);
      }
    }
  }

  /// Leaves the end of the id out of a prefix, the second argument of a method.
  private static final class ShorterPrefix implements CodeTransform {
    @Override
    public void atStart(CodeBuilder code) {
      ClassDesc bytes = ClassDesc.ofDescriptor("[B");
      code.aload(2)
          .aload(2)
          .arraylength()
          .iconst_1()
          .isub()
          .invokestatic(
              ClassDesc.of("java.util.Arrays"),
              "copyOf",
              MethodTypeDesc.of(bytes, bytes, ConstantDescs.CD_int))
          .astore(2);
    }

    @Override
    public void accept(CodeBuilder code, CodeElement element) {
      code.with(element);
    }
  }

  @ParameterizedTest
  @EnumSource
  void the_store_agreement_finds(StoreMutant mutant) throws Exception {
    Class<?> tests = mutant.mutation.load().loadClass(StoresAgreeTest.class.getName());
    Throwable found = null;

    for (Method method : tests.getDeclaredMethods()) {
      if (found == null && method.isAnnotationPresent(Test.class)) {
        found = run(tests, method);
      }
    }

    assertThat(found).as("%s", mutant).isNotNull().isNotInstanceOf(LinkageError.class);
    System.out.println(mutant + ": " + found);
  }

  /// Runs one test; what it throws, or null when it passes.
  private @Nullable Throwable run(Class<?> tests, Method method)
      throws ReflectiveOperationException {
    Constructor<?> constructor = tests.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object test = constructor.newInstance();
    Field folders = tests.getDeclaredField("folder");
    folders.setAccessible(true);
    folders.set(test, folder.resolve(method.getName()));
    method.setAccessible(true);
    try {
      method.invoke(test);
      return null;
    } catch (InvocationTargetException e) {
      return e.getCause();
    }
  }
}

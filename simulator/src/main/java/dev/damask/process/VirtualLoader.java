package dev.damask.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// Loads Damask for a [VirtualHost]: each call of a clock, a wait with a time limit or a thread
/// builder of the JDK becomes a call of [Interposed]. The code itself is the one that users run.
public final class VirtualLoader extends ClassLoader {
  private static final CodeTransform COPY = CodeBuilder::with;
  static final ClassDesc INTERPOSED = ClassDesc.of(Interposed.class.getName());
  private static final String OWN = "dev.damask.process.";

  /// Static methods: owner, name and descriptor, and the name in [Interposed].
  private static final Map<String, String> STATICS =
      Map.ofEntries(
          Map.entry("java/lang/System.nanoTime()J", "nanoTime"),
          Map.entry("java/lang/System.currentTimeMillis()J", "currentTimeMillis"),
          Map.entry("java/time/Instant.now()Ljava/time/Instant;", "now"),
          Map.entry("java/util/UUID.randomUUID()Ljava/util/UUID;", "randomUUID"),
          Map.entry("java/util/concurrent/locks/LockSupport.parkNanos(J)V", "parkNanos"),
          Map.entry("java/lang/Thread.sleep(J)V", "sleep"),
          Map.entry("java/util/Set.copyOf(Ljava/util/Collection;)Ljava/util/Set;", "setCopyOf"),
          Map.entry("java/util/Map.copyOf(Ljava/util/Map;)Ljava/util/Map;", "mapCopyOf"),
          Map.entry(
              "java/lang/System.getLogger(Ljava/lang/String;)Ljava/lang/System$Logger;",
              "getLogger"),
          Map.entry(
              "java/lang/Thread.ofVirtual()Ljava/lang/Thread$Builder$OfVirtual;", "ofVirtual"),
          Map.entry(
              "dev/damask/nursery/Deadlines.after"
                  + "(Ljava/time/Duration;Ljava/lang/Runnable;)Ljava/util/concurrent/Future;",
              "after"));

  /// Methods of objects with a time limit: name and descriptor, and the first parameter in
  /// [Interposed].
  private static final Map<String, String> TIMED =
      Map.of(
          "await(JLjava/util/concurrent/TimeUnit;)Z", "java.util.concurrent.CountDownLatch",
          "tryAcquire(JLjava/util/concurrent/TimeUnit;)Z", "java.util.concurrent.Semaphore",
          "poll(JLjava/util/concurrent/TimeUnit;)Ljava/lang/Object;",
              "java.util.concurrent.BlockingQueue",
          "get(JLjava/util/concurrent/TimeUnit;)Ljava/lang/Object;", "java.util.concurrent.Future",
          "awaitNanos(J)J", "java.util.concurrent.locks.Condition",
          "isVirtual()Z", "java.lang.Thread");

  /// Methods of every object.
  private static final Map<String, String> WAITS =
      Map.of(
          "wait()V", "waitFor",
          "wait(J)V", "waitFor",
          "notify()V", "wakeAll",
          "notifyAll()V", "wakeAll");

  static final MethodTypeDesc MONITOR =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object);
  private static final String PLATFORM = "java/lang/Thread$Builder$OfPlatform";
  private static final ClassDesc BUILDER = ClassDesc.of("java.lang.Thread$Builder");
  private static final Set<String> PARKERS =
      Set.of("java/util/concurrent/", "java/lang/Thread"); // owners of the methods above

  private final String changedClass;
  private final ClassTransform change;

  /// Loads the classes of this program as they are.
  public VirtualLoader(ClassLoader classes) {
    this(classes, "", ClassTransform.ACCEPT_ALL);
  }

  /// Loads the classes of this program with one of them changed. Throws `IllegalStateException`
  /// when that class is loaded and the change leaves it as it is.
  public VirtualLoader(ClassLoader classes, String changedClass, ClassTransform change) {
    super(classes);
    this.changedClass = changedClass;
    this.change = change;
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
    byte[] bytes = read(name, Objects.requireNonNull(getParent()));
    if (!name.startsWith(OWN)) {
      bytes = transform(bytes, new SynchronizedMethods());
      bytes = transformCode(bytes, new Calls());
    }
    if (name.equals(changedClass)) {
      byte[] changed = transform(bytes, change);
      if (Arrays.equals(transformCode(changed, COPY), transformCode(bytes, COPY))) {
        throw new IllegalStateException("the change leaves " + name + " as it is");
      }
      bytes = changed;
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  private static byte[] transformCode(byte[] bytes, CodeTransform change) {
    return transform(bytes, ClassTransform.transformingMethodBodies(change));
  }

  private static byte[] transform(byte[] bytes, ClassTransform change) {
    ClassFile file = ClassFile.of(ClassFile.ConstantPoolSharingOption.NEW_POOL);
    return file.transformClass(file.parse(bytes), change);
  }

  private static byte[] read(String name, ClassLoader classes) throws ClassNotFoundException {
    try (InputStream in = classes.getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Replaces the calls.
  private static final class Calls implements CodeTransform {
    @Override
    public void accept(CodeBuilder code, CodeElement element) {
      if (element instanceof MonitorInstruction monitor) {
        boolean isEnter = monitor.opcode() == Opcode.MONITORENTER;
        code.invokestatic(INTERPOSED, isEnter ? "enter" : "exit", MONITOR);
      } else if (!(element instanceof InvokeInstruction call) || !replaced(code, call)) {
        code.with(element);
      }
    }

    private static boolean replaced(CodeBuilder code, InvokeInstruction call) {
      String owner = call.owner().asInternalName();
      String name = call.name().stringValue();
      String type = call.type().stringValue();
      MethodTypeDesc desc = call.typeSymbol();
      if (call.opcode() == Opcode.INVOKESTATIC) {
        if (owner.equals("java/lang/Thread") && name.equals("ofPlatform")) {
          code.invokestatic(INTERPOSED, name, MethodTypeDesc.of(BUILDER));
          return true;
        }
        String other = STATICS.get(owner + "." + name + type);
        if (other != null) {
          code.invokestatic(INTERPOSED, other, desc);
        }
        return other != null;
      }
      if (owner.equals(PLATFORM)) {
        boolean isChained = type.endsWith("L" + PLATFORM + ";");
        code.invokestatic(
            INTERPOSED,
            name,
            desc.insertParameterTypes(0, BUILDER)
                .changeReturnType(isChained ? BUILDER : desc.returnType()));
        return true;
      }
      String waiting = WAITS.get(name + type);
      if (waiting != null) {
        code.invokestatic(
            INTERPOSED, waiting, desc.insertParameterTypes(0, ConstantDescs.CD_Object));
        return true;
      }
      String receiver = TIMED.get(name + type);
      if (receiver == null || PARKERS.stream().noneMatch(owner::startsWith)) {
        return false;
      }
      code.invokestatic(INTERPOSED, name, desc.insertParameterTypes(0, ClassDesc.of(receiver)));
      return true;
    }
  }
}

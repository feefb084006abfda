package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Fails a test that leaves a thread behind, virtual or not. The threads of the JDK's pools and the
/// one timer thread of all nurseries belong to no test.
final class NoThreadLeft implements BeforeEachCallback, AfterEachCallback {

  /// A child that has ended may need another moment to take its thread off the carrier.
  private static final int TRIES_MAX = 1_000;

  private static final ExtensionContext.Namespace SPACE =
      ExtensionContext.Namespace.create(NoThreadLeft.class);

  @Override
  public void beforeEach(ExtensionContext context) {
    context.getStore(SPACE).put("before", new HashSet<>(threads()));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    var before = (Set<?>) context.getStore(SPACE).get("before");
    List<String> left = List.of();
    for (int i = 0; i < TRIES_MAX; i++) {
      left = new ArrayList<>(threads());
      left.removeAll(before);
      if (left.isEmpty()) {
        return;
      }
      LockSupport.parkNanos(10_000_000);
    }
    assertThat(left).as("threads that the test left behind").isEmpty();
  }

  /// Returns all threads of this JVM by id and name.
  ///
  /// Virtual threads are known only to the JDK's own root container. A thread dump names them too,
  /// but it crashes JDK 25.0.3 (GetThreadSnapshotClosure) if one of them is unmounted meanwhile.
  static List<String> threads() {
    try {
      Object root =
          Class.forName("jdk.internal.vm.ThreadContainers").getMethod("root").invoke(null);
      var threads =
          (Stream<?>)
              Class.forName("jdk.internal.vm.ThreadContainer").getMethod("threads").invoke(root);
      return threads
          .map(Thread.class::cast)
          .filter(thread -> thread.isAlive() && !isOfTheJdk(thread.getName()))
          .map(thread -> thread.threadId() + " " + thread.getName())
          .toList();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the JDK does not list its threads", e);
    }
  }

  private static boolean isOfTheJdk(String name) {
    return name.startsWith("ForkJoinPool")
        || name.equals(Deadlines.THREAD_NAME)
        || name.startsWith("VirtualThread-unblocker")
        || name.startsWith("VirtualThread-unparker")
        || name.startsWith("JFR ")
        || name.startsWith("surefire")
        || name.startsWith("junit")
        || name.startsWith("Common-Cleaner")
        || name.startsWith("Read-Poller")
        || name.startsWith("Attach Listener");
  }
}

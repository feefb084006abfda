package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Fails a test that leaves a thread behind, virtual or not. The threads of the JDK's common pool
/// and of its delay scheduler belong to nobody's test.
final class NoThreadLeft implements BeforeEachCallback, AfterEachCallback {

  /// A child that has ended may need another moment to take its thread off the carrier.
  private static final int TRIES_MAX = 200;

  private static final Pattern THREAD =
      Pattern.compile("\"tid\":\\s*\"?(\\d+)\"?,[^}\\]]*?\"name\":\\s*\"([^\"]*)\"");

  private static final ExtensionContext.Namespace SPACE =
      ExtensionContext.Namespace.create(NoThreadLeft.class);

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    context.getStore(SPACE).put("before", new HashSet<>(threads()));
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    var before = (Set<?>) context.getStore(SPACE).get("before");
    List<String> left = List.of();
    for (int i = 0; i < TRIES_MAX; i++) {
      left = new ArrayList<>(threads());
      left.removeAll(before);
      if (left.isEmpty()) {
        return;
      }
    }
    assertThat(left).as("threads that the test left behind").isEmpty();
  }

  /// All threads of this JVM by id and name; only a thread dump knows the virtual ones.
  static List<String> threads() throws IOException {
    Path file = Files.createTempDirectory("threads").resolve("dump.json");
    try {
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
          .dumpThreads(file.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.JSON);
      var threads = new ArrayList<String>();
      var matcher = THREAD.matcher(Files.readString(file));
      while (matcher.find()) {
        if (!isOfTheJdk(matcher.group(2))) {
          threads.add(matcher.group(1) + " " + matcher.group(2));
        }
      }
      return threads;
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(file.getParent());
    }
  }

  private static boolean isOfTheJdk(String name) {
    return name.startsWith("ForkJoinPool")
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

package dev.damask.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The system's own tool to look at the calls of a process, and to let one of them fail.
final class Strace {
  /// One call to the system: the `number`-th of its name on one file of the store.
  record Point(String name, String file, int number) {}

  /// What happens at a point.
  enum Fault {
    KILL("signal=SIGKILL"),
    EIO("error=EIO"),
    ENOSPC("error=ENOSPC");

    private final String injection;

    Fault(String injection) {
      this.injection = injection;
    }
  }

  private static final String CALLS = "write,pwrite64,fsync,fdatasync,rename,ftruncate";

  /// The first file of a call: strace lets a call fail by that one only.
  private static final Pattern LINE =
      Pattern.compile("\\d+ +(\\w+)\\((?:\\d+<([^>]*)>|\"([^\"]*)\").*");

  private Strace() {}

  static boolean isThere() {
    try {
      return new ProcessBuilder("strace", "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /// Starts a program and writes down what it does to files.
  static List<String> watching(Path log) {
    return List.of(
        "strace", "-f", "--seccomp-bpf", "-qq", "-y", "-o", log.toString(), "-e", "trace=" + CALLS);
  }

  /// Starts a program in which one call goes wrong, and for a full disk every later one like it.
  static List<String> failing(Path store, Point point, Fault fault) {
    String more = fault == Fault.ENOSPC ? "+" : "";
    return List.of(
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-P",
        store.resolve(point.file()).toString(),
        "-e",
        "trace=" + point.name(),
        "-e",
        "inject=%s:%s:when=%d%s".formatted(point.name(), fault.injection, point.number(), more));
  }

  /// Every call that a watched program made on files of a store.
  static List<Point> points(Path log, Path store) {
    Map<String, Integer> counts = new TreeMap<>();
    List<Point> points = new ArrayList<>();
    try {
      for (String line : Files.readAllLines(log, java.nio.charset.StandardCharsets.ISO_8859_1)) {
        Matcher matcher = LINE.matcher(line);
        if (matcher.matches()) {
          String named = matcher.group(2) != null ? matcher.group(2) : matcher.group(3);
          Path path = Path.of(String.valueOf(named));
          if (path.startsWith(store)) {
            String file = store.relativize(path).toString();
            String name = matcher.group(1);
            int number = counts.merge(name + " " + file, 1, Integer::sum);
            points.add(new Point(name, file, number));
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return points;
  }
}

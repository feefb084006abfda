package dev.damask.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;

/// One peer in a process of its own. It runs a round for each line `WORKLOAD CALLERS MILLIS` of its
/// input and prints `rate p50 p99`, in runs per second and microseconds.
final class PeerProcess {
  private static final int CONNECTIONS = 20;
  private static final int PLATFORM_MAX = 16;

  private final Peer peer;
  private final Set<Workload> prepared = EnumSet.noneOf(Workload.class);

  private PeerProcess(Peer peer) {
    this.peer = peer;
  }

  /// Arguments: the peer, an empty directory, the JDBC URL of an empty database.
  public static void main(String[] arguments) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err); // some libraries print at start
    try (Peer peer = peer(arguments[0], Path.of(arguments[1]), arguments[2])) {
      out.println(peer.title());
      new PeerProcess(peer).serve(out);
    }
    System.exit(0);
  }

  private static Peer peer(String name, Path directory, String url) {
    return switch (name) {
      case "plain" -> new PlainJava();
      case "damask" -> new DamaskPeer(directory);
      case "damask_call" -> new DamaskCall();
      case "damask_postgres" -> new DamaskPostgres(pool(url));
      case "liteflow" -> new LiteFlow();
      case "camunda" -> new Camunda(pool(url));
      case "dbos" -> new Dbos(pool(url));
      default -> throw new IllegalArgumentException("unknown peer " + name);
    };
  }

  /// A pool of as many connections for every peer.
  static DataSource pool(String url) {
    var config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(CONNECTIONS);
    config.setConnectionTimeout(300_000);
    return new HikariDataSource(config);
  }

  private void serve(PrintStream out) throws Exception {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      Workload workload = Workload.valueOf(words[0]);
      if (!peer.workloads().contains(workload)) {
        out.println("none");
        continue;
      }
      if (prepared.add(workload)) {
        peer.prepare(workload);
      }
      out.println(round(workload, Integer.parseInt(words[1]), Long.parseLong(words[2])));
    }
  }

  /// Runs the workload again and again on as many threads as there are callers.
  private String round(Workload workload, int callers, long millis) throws Exception {
    try (ExecutorService threads =
        callers > PLATFORM_MAX
            ? Executors.newVirtualThreadPerTaskExecutor()
            : Executors.newFixedThreadPool(callers)) {
      List<Future<long[]>> results = new ArrayList<>();
      long begin = System.nanoTime();
      long end = begin + millis * 1_000_000;
      for (int i = 0; i < callers; i++) {
        results.add(threads.submit((Callable<long[]>) () -> caller(workload, end)));
      }
      long[] all = {};
      for (Future<long[]> result : results) {
        long[] some = result.get();
        int size = all.length;
        all = Arrays.copyOf(all, size + some.length);
        System.arraycopy(some, 0, all, size, some.length);
      }
      long measured = Arrays.stream(all).sum();
      Arrays.sort(all);
      double seconds =
          workload == Workload.SIGNAL_DURABLE
              ? measured / 1e9 / callers
              : (System.nanoTime() - begin) / 1e9;
      return "%.1f %.1f %.1f"
          .formatted(all.length / seconds, percentile(all, 0.5), percentile(all, 0.99));
    }
  }

  private long[] caller(Workload workload, long end) throws Exception {
    long[] nanos = new long[64];
    int count = 0;
    do {
      String before = workload == Workload.SIGNAL_DURABLE ? peer.before(workload) : "";
      long begin = System.nanoTime();
      if (workload == Workload.SIGNAL_DURABLE) {
        peer.after(workload, before);
      } else {
        peer.once(workload);
      }
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, 2 * count);
      }
      nanos[count++] = System.nanoTime() - begin;
    } while (System.nanoTime() < end);
    return Arrays.copyOf(nanos, count);
  }

  private static double percentile(long[] sorted, double share) {
    return sorted[(int) Math.min(sorted.length - 1L, Math.round(share * sorted.length))] / 1e3;
  }
}

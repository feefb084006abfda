package dev.damask.peers;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Runs Damask beside what a user would take instead: one process per peer, rounds interleaved, the
/// median counts. Prints a table and writes it, a line of JSON per result and a bar chart.
///
/// Arguments: the output directory, the rounds, the milliseconds per round, and optionally the
/// workloads.
public final class Peers {
  private static final List<String> NAMES =
      List.of("plain", "liteflow", "camunda", "dbos", "damask", "damask_call", "damask_postgres");
  private static final List<Integer> CALLERS = List.of(1, 16, 1_000);

  /// One result: the medians of all rounds.
  record Result(Workload workload, int callers, String peer, double rate, double p50, double p99) {}

  private record Child(
      String title, Path log, Process process, BufferedReader in, PrintWriter out) {}

  private final Map<String, Child> children = new LinkedHashMap<>();
  private final int rounds;
  private final long millis;

  private Peers(int rounds, long millis) {
    this.rounds = rounds;
    this.millis = millis;
  }

  public static void main(String[] arguments) throws Exception {
    Path output = Files.createDirectories(Path.of(arguments[0]));
    var peers = new Peers(Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]));
    List<Workload> workloads = new ArrayList<>();
    for (int i = 3; i < arguments.length; i++) {
      workloads.add(Workload.valueOf(arguments[i]));
    }
    List<Workload> chosen = workloads.isEmpty() ? List.of(Workload.values()) : workloads;
    Path data = Files.createTempDirectory(output, "data");
    try (EmbeddedPostgres server =
        EmbeddedPostgres.builder()
            .setOverrideWorkingDirectory(data.resolve("postgres").toFile())
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("full_page_writes", "on")
            .setServerConfig("max_connections", "100")
            .start()) {
      peers.open(data, server);
      List<Result> results = peers.measure(chosen);
      peers.close();
      write(output, results);
    }
  }

  private void open(Path data, EmbeddedPostgres server) throws Exception {
    for (String name : NAMES) {
      try (var connection = server.getPostgresDatabase().getConnection();
          var statement = connection.createStatement()) {
        statement.execute("CREATE DATABASE " + name);
      }
      String url = server.getJdbcUrl("postgres", name);
      Path directory = Files.createDirectories(data.resolve(name));
      Path log = data.resolve(name + ".log");
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx2g",
                  "--enable-native-access=ALL-UNNAMED",
                  "--sun-misc-unsafe-memory-access=allow",
                  "-cp",
                  System.getProperty("java.class.path"),
                  PeerProcess.class.getName(),
                  name,
                  directory.toString(),
                  url)
              .redirectError(log.toFile())
              .start();
      var in =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      var out = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
      children.put(name, new Child(line(name, in, log), log, process, in, out));
    }
  }

  private static String line(String name, BufferedReader in, Path log) throws IOException {
    String line = in.readLine();
    if (line == null) {
      throw new IllegalStateException(name + " stopped; see " + log + " for its messages");
    }
    return line;
  }

  private List<Result> measure(List<Workload> workloads) throws IOException {
    List<Result> results = new ArrayList<>();
    for (Workload workload : workloads) {
      for (int callers : callers(workload)) {
        Map<String, List<double[]>> measured = new LinkedHashMap<>();
        for (int round = 0; round <= rounds; round++) {
          for (var child : children.entrySet()) {
            double[] figures = round(child.getValue(), workload, callers);
            if (figures.length > 0 && round > 0) { // the first round warms up
              measured.computeIfAbsent(child.getKey(), _ -> new ArrayList<>()).add(figures);
            }
          }
        }
        measured.forEach((name, all) -> {
          String title = children.get(name).title();
          var result =
              new Result(workload, callers, title, median(all, 0), median(all, 1), median(all, 2));
          System.err.println(result);
          results.add(result);
        });
      }
    }
    return results;
  }

  private static List<Integer> callers(Workload workload) {
    return workload == Workload.SIGNAL_DURABLE ? List.of(1) : CALLERS;
  }

  private double[] round(Child child, Workload workload, int callers) throws IOException {
    child.out.println(workload + " " + callers + " " + millis);
    String line = child.in.readLine();
    if (line == null) {
      throw new IllegalStateException(
          child.title + " stopped during " + workload + "; see " + child.log + " for its messages");
    }
    if (line.equals("none")) {
      return new double[0];
    }
    String[] words = line.split(" ");
    return new double[] {
      Double.parseDouble(words[0]), Double.parseDouble(words[1]), Double.parseDouble(words[2])
    };
  }

  private static double median(List<double[]> all, int column) {
    return all.stream()
        .map(figures -> figures[column])
        .sorted(Comparator.naturalOrder())
        .skip(all.size() / 2)
        .findFirst()
        .orElseThrow();
  }

  private void close() throws Exception {
    for (Child child : children.values()) {
      child.out.close();
      child.process.waitFor();
    }
  }

  private static void write(Path output, List<Result> results) throws IOException {
    var table = new StringBuilder("Measured on " + LocalDate.now() + ".\n\n");
    table.append("| workload | callers | peer | runs/s | p50 µs | p99 µs |\n");
    table.append("|---|---|---|---|---|---|\n");
    var lines = new StringBuilder();
    for (Result each : results) {
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | %,d | %s | %,.0f | %,.0f | %,.0f |%n",
              each.workload.title(),
              each.callers,
              each.peer,
              each.rate,
              each.p50,
              each.p99));
      lines.append(
          String.format(
              Locale.ROOT,
              "{\"date\":\"%s\",\"workload\":\"%s\",\"callers\":%d,\"peer\":\"%s\","
                  + "\"rate\":%.1f,\"p50\":%.1f,\"p99\":%.1f}%n",
              LocalDate.now(),
              each.workload,
              each.callers,
              each.peer,
              each.rate,
              each.p50,
              each.p99));
    }
    System.out.print(table);
    Files.writeString(output.resolve("peers.md"), table);
    Files.writeString(output.resolve("peers.jsonl"), lines);
    Files.writeString(output.resolve("peers.svg"), BarChart.of(results, LocalDate.now()));
  }
}

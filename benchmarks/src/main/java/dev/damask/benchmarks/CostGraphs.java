package dev.damask.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Draws the cost of a commit against the size of its case, from the last line of [GrowthFigures]
/// in `benchmarks.jsonl`.
///
/// Arguments: the file, and the directory for `growth-context.svg`, `growth-branches.svg` and
/// `growth-steps.svg`.
public final class CostGraphs {
  private static final int WIDTH = 640;
  private static final int HEIGHT = 260;
  private static final int LEFT = 64;
  private static final int RIGHT = 64;
  private static final int TOP = 34;
  private static final int BOTTOM = 44;
  private static final String TIME = "#3b5bdb";
  private static final String BYTES = "#c2571a";
  private static final Pattern FIELD = Pattern.compile("\"([a-z]+)\": \"([^\"]*)\"");
  private static final Pattern FIGURE =
      Pattern.compile("\"([a-z]+)-([0-9]+)(-bytes)?\": ([0-9.]+)");

  /// What a graph shows, and how its sizes are called.
  private enum Kind {
    CONTEXT("context", "Size of the context", "KB"),
    BRANCHES("branches", "Waiting branches", ""),
    STEPS("steps", "Steps with a commit before", "");

    private final String key;
    private final String title;
    private final String unit;

    Kind(String key, String title, String unit) {
      this.key = key;
      this.title = title;
      this.unit = unit;
    }
  }

  private final String source;
  private final Map<String, TreeMap<Integer, Double>> figures = new TreeMap<>();

  private CostGraphs(String line) {
    Map<String, String> fields = new TreeMap<>();
    Matcher field = FIELD.matcher(line);
    while (field.find()) {
      fields.put(field.group(1), field.group(2));
    }
    this.source = fields.get("date") + ", " + fields.get("machine");
    Matcher figure = FIGURE.matcher(line);
    while (figure.find()) {
      String name = figure.group(1) + (figure.group(3) == null ? "" : figure.group(3));
      figures
          .computeIfAbsent(name, _ -> new TreeMap<>())
          .put(Integer.parseInt(figure.group(2)), Double.parseDouble(figure.group(4)));
    }
  }

  public static void main(String[] arguments) throws IOException {
    String line =
        Files.readAllLines(Path.of(arguments[0])).stream()
            .filter(each -> each.contains("\"module\": \"growth\""))
            .reduce((_, later) -> later)
            .orElseThrow(
                () -> new IllegalStateException(arguments[0] + " has no line of GrowthFigures"));
    Path directory = Files.createDirectories(Path.of(arguments[1]));
    CostGraphs graphs = new CostGraphs(line);
    for (Kind kind : Kind.values()) {
      Files.writeString(directory.resolve("growth-" + kind.key + ".svg"), graphs.draw(kind));
    }
  }

  private String draw(Kind kind) {
    TreeMap<Integer, Double> micros = figures.getOrDefault(kind.key, new TreeMap<>());
    TreeMap<Integer, Double> bytes = figures.getOrDefault(kind.key + "-bytes", new TreeMap<>());
    List<String> parts = new ArrayList<>();
    double mostMicros = top(micros);
    double mostBytes = top(bytes);
    for (int i = 0; i <= 4; i++) {
      double y = HEIGHT - BOTTOM - i / 4.0 * (HEIGHT - TOP - BOTTOM);
      parts.add(line(LEFT, y, WIDTH - RIGHT, y));
      parts.add(text(LEFT - 8, y + 4, "end", TIME, number(mostMicros * i / 4)));
      parts.add(text(WIDTH - RIGHT + 8, y + 4, "start", BYTES, number(mostBytes * i / 4)));
    }
    for (int size : micros.keySet()) {
      String label = String.format(Locale.ROOT, "%,d", size) + (kind.unit.isEmpty() ? "" : " ");
      parts.add(
          text(x(size, micros), HEIGHT - BOTTOM + 18, "middle", "#495057", label + kind.unit));
    }
    parts.add(curve(micros, mostMicros, TIME));
    parts.add(curve(bytes, mostBytes, BYTES));
    parts.add(text(LEFT, 18, "start", TIME, "CPU time per commit, µs"));
    parts.add(text(WIDTH - RIGHT, 18, "end", BYTES, "bytes per commit"));
    parts.add(text(WIDTH / 2.0, HEIGHT - 8, "middle", "#495057", kind.title + " (" + source + ")"));
    return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">
    <title>Cost per commit: %s</title>
    <style>text { font: 11px system-ui, sans-serif }</style>
    <rect width="100%%" height="100%%" fill="#f8f9fa"/>
    %s
    </svg>
    """
        .formatted(WIDTH, HEIGHT, kind.title, String.join("\n", parts));
  }

  /// The end of the scale: it leaves a quarter of room, so that flat lines look flat.
  private static double top(TreeMap<Integer, Double> values) {
    double most = values.values().stream().mapToDouble(Double::doubleValue).max().orElse(1);
    double step = Math.pow(10, Math.floor(Math.log10(most)));
    return Math.ceil(1.25 * most / step) * step;
  }

  private static double x(int size, TreeMap<Integer, Double> all) {
    double first = Math.log10(all.firstKey());
    double span = Math.max(1, Math.log10(all.lastKey()) - first);
    return LEFT + 24 + (Math.log10(size) - first) / span * (WIDTH - LEFT - RIGHT - 48);
  }

  private static String curve(TreeMap<Integer, Double> values, double most, String colour) {
    StringBuilder points = new StringBuilder();
    StringBuilder dots = new StringBuilder();
    values.forEach((size, value) -> {
      double y = HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM);
      points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(size, values), y));
      dots.append(
          String.format(
              Locale.ROOT,
              "%n<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>",
              x(size, values),
              y,
              colour));
    });
    return "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>%s"
        .formatted(colour, points.toString().strip(), dots);
  }

  private static String line(double x1, double y1, double x2, double y2) {
    return String.format(
        Locale.ROOT,
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dee2e6\"/>",
        x1,
        y1,
        x2,
        y2);
  }

  private static String text(double x, double y, String anchor, String colour, String text) {
    return String.format(
        Locale.ROOT,
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>",
        x,
        y,
        anchor,
        colour,
        text);
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.1f", value);
  }
}

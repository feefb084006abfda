package dev.damask.peers;

import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The results as horizontal bars on a logarithmic scale, one group per workload and number of
/// callers.
final class BarChart {
  private static final int WIDTH = 830;
  private static final int LEFT = 200;
  private static final int BAR = 14;
  private static final int GAP = 3;
  private static final int HEAD = 26;
  private static final Map<String, String> COLOURS =
      Map.of("Damask", "#3b5bdb", "Camunda", "#c2571a", "DBOS", "#2b8a3e", "LiteFlow", "#9c36b5");

  private BarChart() {}

  /// @param day when the results were measured
  static String of(List<Peers.Result> results, LocalDate day) {
    Map<String, List<Peers.Result>> groups = new LinkedHashMap<>();
    for (Peers.Result each : results) {
      String group =
          "%s, %,d %s"
              .formatted(
                  each.workload().title(),
                  each.callers(),
                  each.callers() == 1 ? "caller" : "callers");
      groups.computeIfAbsent(group, _ -> new java.util.ArrayList<>()).add(each);
    }
    double most = results.stream().mapToDouble(Peers.Result::rate).max().orElse(10);
    double scale = (WIDTH - LEFT - 110) / Math.log10(Math.max(10, most));
    var bars = new StringBuilder();
    bars.append(
        text(8, 18, "title", "Runs per second, logarithmic scale, " + day + ", versions by name"));
    int y = 2 * HEAD;
    for (var group : groups.entrySet()) {
      bars.append(text(8, y + 4, "title", group.getKey()));
      y += 14;
      for (Peers.Result each : group.getValue()) {
        double width = Math.max(1, Math.log10(Math.max(1, each.rate())) * scale);
        bars.append(text(LEFT - 8, y + 11, "name", each.peer()));
        bars.append(
            String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                LEFT,
                y,
                width,
                BAR,
                COLOURS.getOrDefault(each.peer().split(" ")[0], "#868e96")));
        bars.append(
            text(
                (int) (LEFT + width + 6),
                y + 11,
                "rate",
                String.format(Locale.ROOT, "%,.0f per s", each.rate())));
        y += BAR + GAP;
      }
      y += HEAD - GAP;
    }
    return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">
    <title>Runs per second by workload, logarithmic scale</title>
    <style>text { font: 11px system-ui, sans-serif; fill: #343a40 }
    .title { font-weight: 600 } .name { text-anchor: end }</style>
    <rect width="100%%" height="100%%" fill="#f8f9fa"/>
    %s</svg>
    """
        .formatted(WIDTH, y, bars);
  }

  private static String text(int x, int y, String style, String text) {
    return "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>%n".formatted(x, y, style, text);
  }
}

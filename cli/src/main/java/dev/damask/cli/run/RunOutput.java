package dev.damask.cli.run;

import dev.damask.cli.cases.CaseReport;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Streams;
import dev.damask.cli.sessions.SessionReport;
import dev.damask.json.JsonWriter;
import dev.damask.session.SessionView;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Prints what became of cases and sessions.
///
/// @param json whether as one JSON object
record RunOutput(Streams streams, boolean json) {
  /// Prints one report and returns the exit code.
  int one(CaseReport report) {
    streams
        .out()
        .print(json ? JsonWriter.line(report.json()) + System.lineSeparator() : report.text());
    return report.exit();
  }

  /// Prints several reports and returns the exit code.
  int all(List<CaseReport> cases, List<SessionView> sessions) {
    if (json) {
      Map<String, @Nullable Object> all = CaseRun.json(cases);
      all.put("sessions", sessions.stream().map(each -> new SessionReport(each).object()).toList());
      streams.out().println(JsonWriter.line(all));
    } else {
      cases.forEach(each -> streams.out().print(each.text()));
      sessions.forEach(each -> streams.out().print(new SessionReport(each).text()));
    }
    return IntStream.concat(
            cases.stream().mapToInt(CaseReport::exit), sessions.stream().mapToInt(GraphRun::exit))
        .max()
        .orElse(Exit.OK);
  }
}

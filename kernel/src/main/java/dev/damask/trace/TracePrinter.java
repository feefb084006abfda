package dev.damask.trace;

import dev.damask.exec.TraceEvent;
import dev.damask.program.Program;
import java.util.List;
import java.util.Locale;

/// Prints a trace, one aligned line an event.
public final class TracePrinter {
  private TracePrinter() {}

  public static String print(Program program, List<TraceEvent> events) {
    StringBuilder text = new StringBuilder();
    for (TraceEvent event : events) {
      text.append(line(program, event)).append('\n');
    }
    return text.toString();
  }

  public static String line(Program program, TraceEvent event) {
    String token = event.token() == 0 ? "-" : "t" + event.token();
    String move =
        event.before() < 0 || event.before() == event.after()
            ? ""
            : event.before() + (event.after() < 0 ? "" : " -> " + event.after());
    String subject = event.subject() + (event.label().isEmpty() ? "" : "[" + event.label() + "]");
    String place = event.before() < 0 ? "" : program.source().at(event.before()).toString();
    return String.format(
            Locale.ROOT,
            "%6d  %-5s %-16s %-10s %-12s %-9s %s %s",
            event.step(),
            token,
            event.rule(),
            event.kind().name().toLowerCase(Locale.ROOT),
            subject,
            move,
            place,
            event.detail() + evaluation(event))
        .stripTrailing();
  }

  private static String evaluation(TraceEvent event) {
    TraceEvent.Evaluation found = event.evaluation();
    return found == null
        ? ""
        : " cost=%d %s %s %s"
            .formatted(found.cost(), found.payload(), found.note().more(), found.note().origin());
  }
}

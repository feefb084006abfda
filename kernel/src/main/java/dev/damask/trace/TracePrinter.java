package dev.damask.trace;

import dev.damask.event.TraceEvent;
import dev.damask.program.Program;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Prints a trace, one aligned line per event.
public final class TracePrinter {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private TracePrinter() {}

  /// Returns a trace with one line per event.
  public static String print(Program program, List<TraceEvent> events) {
    StringBuilder text = new StringBuilder();
    for (TraceEvent event : events) {
      text.append(line(program, event)).append('\n');
    }
    return text.toString();
  }

  /// Returns the line of one event. Positions in the definition are left out when the program is
  /// null.
  public static String line(@Nullable Program program, TraceEvent event) {
    String token = event.token() == 0 ? "-" : "t" + event.token();
    String move =
        event.before() < 0 || event.before() == event.after()
            ? ""
            : event.before() + (event.after() < 0 ? "" : " -> " + event.after());
    String subject = event.subject() + (event.label().isEmpty() ? "" : "[" + event.label() + "]");
    String place =
        event.before() < 0 || program == null ? "" : program.source().at(event.before()).toString();
    String line =
        String.format(
                Locale.ROOT,
                "%6d  %s%-5s %-16s %-10s %-12s %-9s %s %s",
                event.step(),
                time(event),
                token,
                event.rule(),
                event.kind().name().toLowerCase(Locale.ROOT),
                subject,
                move,
                place,
                event.detail() + evaluation(event))
            .stripTrailing();
    return visible(line);
  }

  /// The time of an event and two blanks; empty when it was not recorded.
  private static String time(TraceEvent event) {
    return event.atMillis() == TraceEvent.NO_TIME
        ? ""
        : TIME.format(Instant.ofEpochMilli(event.atMillis())) + "  ";
  }

  private static String evaluation(TraceEvent event) {
    TraceEvent.Evaluation found = event.evaluation();
    if (found == null) {
      return "";
    }
    String more = found.note().more().isEmpty() ? "" : " " + found.note().more();
    return " cost=" + found.cost() + " " + found.payload() + more + " " + found.note().origin();
  }

  /// Returns a text as one line, without a character that a terminal would obey.
  public static String visible(String text) {
    if (text.chars().noneMatch(Character::isISOControl)) {
      return text;
    }
    StringBuilder visible = new StringBuilder();
    text.chars()
        .forEach(c -> {
          if (Character.isISOControl(c)) {
            visible.append(String.format(Locale.ROOT, "\\u%04x", c));
          } else {
            visible.append((char) c);
          }
        });
    return visible.toString();
  }
}

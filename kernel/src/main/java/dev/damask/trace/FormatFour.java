package dev.damask.trace;

import dev.damask.event.ProcessEvent;
import dev.damask.event.TraceEvent;
import dev.damask.value.StepOutcome;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads what stores of format 4 and recordings contain of sessions as text, and later versions
/// store as data.
public final class FormatFour {
  private static final Pattern SPAWNED =
      Pattern.compile("(\\d{1,9}) parent=(\\d{1,9})(?: due=(-?\\d{1,19}))?");
  private static final Pattern NUMBERED = Pattern.compile("(\\d{1,9}) (.*)", Pattern.DOTALL);
  private static final Pattern AWAITS = Pattern.compile("waits for (\\d{1,9})");
  private static final Pattern GROUP = Pattern.compile("group=(\\d{1,9})");
  private static final Pattern RECEIVED = Pattern.compile("(.*) (\\d{1,9})", Pattern.DOTALL);
  private static final String CONTROL = "process.";

  private FormatFour() {}

  /// Returns the event with what it reports about a process as data. Returns the same event if it
  /// is not about processes.
  public static TraceEvent event(TraceEvent event) {
    ProcessEvent process = event.process() == null ? process(event) : null;
    return process == null
        ? event
        : new TraceEvent(
            event.step(),
            event.atMillis(),
            event.kind(),
            event.rule(),
            event.token(),
            event.before(),
            event.after(),
            event.scope(),
            event.subject(),
            event.label(),
            "",
            event.evaluation(),
            process);
  }

  private static @Nullable ProcessEvent process(TraceEvent event) {
    String detail = event.detail();
    return switch (event.kind()) {
      case SPAWNED -> spawned(SPAWNED.matcher(detail));
      case EVALUATED, ABORTED, SENT, JOINED -> numbered(event.kind(), NUMBERED.matcher(detail));
      case FORKED -> {
        Matcher awaits = AWAITS.matcher(detail);
        yield awaits.matches() ? new ProcessEvent.Awaits(number(awaits.group(1))) : null;
      }
      case SIGNALLED -> signalled(event);
      default -> null;
    };
  }

  private static @Nullable ProcessEvent spawned(Matcher found) {
    if (!found.matches()) {
      return null;
    }
    String due = found.group(3);
    return new ProcessEvent.Spawned(
        number(found.group(1)),
        number(found.group(2)),
        due == null ? ProcessEvent.Spawned.NOT_TIMED : Long.parseLong(due));
  }

  private static @Nullable ProcessEvent numbered(TraceEvent.Kind kind, Matcher found) {
    if (!found.matches()) {
      return null;
    }
    int process = number(found.group(1));
    String rest = found.group(2);
    return switch (kind) {
      case EVALUATED ->
          Arrays.stream(StepOutcome.values())
              .filter(outcome -> outcome.word().equals(rest))
              .findFirst()
              .map(outcome -> new ProcessEvent.Evaluated(process, outcome))
              .orElse(null);
      case ABORTED -> new ProcessEvent.Aborted(process, rest);
      case SENT -> new ProcessEvent.Sent(process, rest);
      default -> {
        Matcher group = GROUP.matcher(rest);
        yield group.matches() ? new ProcessEvent.Joined(process, number(group.group(1))) : null;
      }
    };
  }

  private static @Nullable ProcessEvent signalled(TraceEvent event) {
    Matcher received = RECEIVED.matcher(event.detail());
    if (event.token() == 0 && event.subject().startsWith(CONTROL) && received.matches()) {
      return new ProcessEvent.Received(received.group(1), number(received.group(2)));
    }
    Matcher woken = NUMBERED.matcher(event.detail());
    return event.token() != 0 && woken.matches() && woken.group(2).equals("woken")
        ? new ProcessEvent.Woken(number(woken.group(1)))
        : null;
  }

  private static int number(String digits) {
    return Integer.parseInt(digits);
  }

  /// Returns the progress of a step as a map. In format 4 it names no rule, and is the name of its
  /// stage alone if nothing else differs from the start.
  public static Map<?, ?> progress(Object progress) {
    return progress instanceof Map<?, ?> details
        ? details
        : Collections.singletonMap("stage", progress);
  }
}

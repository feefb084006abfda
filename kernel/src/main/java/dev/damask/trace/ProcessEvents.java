package dev.damask.trace;

import dev.damask.event.ProcessEvent;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.StepOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The stored form of process events: a number for the type, then its fields.
public final class ProcessEvents {
  /// The outcomes by the numbers that stored traces contain.
  private static final List<StepOutcome> OUTCOMES =
      List.of(StepOutcome.VALID, StepOutcome.INVALID, StepOutcome.ABORTED, StepOutcome.CANCELLED);

  private ProcessEvents() {}

  /// Writes an event; null is written as 0.
  public static void write(@Nullable ProcessEvent event, Encoder out) {
    switch (event) {
      case null -> out.octet(0);
      case ProcessEvent.Spawned(var number, var parent, var due) -> {
        out.octet(1);
        out.natural(number);
        out.natural(parent);
        out.flag(due != ProcessEvent.Spawned.NOT_TIMED);
        if (due != ProcessEvent.Spawned.NOT_TIMED) {
          out.whole(due);
        }
      }
      case ProcessEvent.Evaluated(var number, var outcome) -> {
        out.octet(2);
        out.natural(number);
        out.octet(OUTCOMES.indexOf(outcome));
      }
      case ProcessEvent.Aborted(var number, var reason) -> {
        out.octet(3);
        out.natural(number);
        out.text(reason);
      }
      case ProcessEvent.Sent(var number, var note) -> {
        out.octet(4);
        out.natural(number);
        out.text(note);
      }
      case ProcessEvent.Awaits(var group) -> {
        out.octet(5);
        out.natural(group);
      }
      case ProcessEvent.Joined(var number, var group) -> {
        out.octet(6);
        out.natural(number);
        out.natural(group);
      }
      case ProcessEvent.Woken(var number) -> {
        out.octet(7);
        out.natural(number);
      }
      case ProcessEvent.Received(var tag, var woken) -> {
        out.octet(8);
        out.text(tag);
        out.natural(woken);
      }
    }
  }

  /// Reads an event. Throws `DamagedBytes` if the bytes are not one.
  public static @Nullable ProcessEvent read(Decoder in) {
    int type = in.octet();
    return switch (type) {
      case 0 -> null;
      case 1 ->
          new ProcessEvent.Spawned(
              number(in), number(in), in.flag() ? in.whole() : ProcessEvent.Spawned.NOT_TIMED);
      case 2 -> new ProcessEvent.Evaluated(number(in), OUTCOMES.get(in.below(OUTCOMES.size())));
      case 3 -> new ProcessEvent.Aborted(number(in), in.text());
      case 4 -> new ProcessEvent.Sent(number(in), in.text());
      case 5 -> new ProcessEvent.Awaits(number(in));
      case 6 -> new ProcessEvent.Joined(number(in), number(in));
      case 7 -> new ProcessEvent.Woken(number(in));
      case 8 -> new ProcessEvent.Received(in.text(), number(in));
      default -> throw in.damaged("a process event has a type up to 8, found " + type);
    };
  }

  private static int number(Decoder in) {
    return in.below(Integer.MAX_VALUE);
  }
}

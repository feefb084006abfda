package dev.damask.effect;

import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import org.jspecify.annotations.Nullable;

/// Why no attempt of an effect is in progress although none was decided, stored with its intent.
public sealed interface Pause {
  /// Since when the effect waits, in milliseconds of the engine's clock.
  long sinceMillis();

  /// The attempts are used up, or the engine cannot continue the task: it waits for an operator.
  ///
  /// @param address the execution of the task, such as `A[2]#1`
  /// @param reason the reason of the last failure
  /// @param detail what the handler reported, for people
  record Incident(long sinceMillis, String address, String reason, String detail)
      implements Pause {}

  /// The effect waits for a permit of the limit of its type.
  record Permit(long sinceMillis) implements Pause {}

  /// Appends the stored form.
  static void write(Encoder out, Pause pause) {
    switch (pause) {
      case Incident(var since, var address, var reason, var detail) -> {
        out.octet(1);
        out.whole(since);
        out.text(address);
        out.text(reason);
        out.text(detail);
      }
      case Permit(var since) -> {
        out.octet(2);
        out.whole(since);
      }
    }
  }

  /// Reads what [#write] appended.
  static @Nullable Pause read(Decoder in) {
    int kind = in.octet();
    return switch (kind) {
      case 1 -> new Incident(in.whole(), in.text(), in.text(), in.text());
      case 2 -> new Permit(in.whole());
      default -> throw in.damaged("the kind of a pause");
    };
  }
}

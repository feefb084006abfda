package dev.damask.cases;

import dev.damask.exec.TraceEvent;
import dev.damask.task.Decoder;
import dev.damask.task.Encoder;
import java.util.ArrayList;
import java.util.List;

/// Writes the part of a trace that belongs to one commit, and reads it back.
public final class TraceCodec {
  private static final byte[] NOTHING = {};

  private TraceCodec() {}

  static byte[] encode(List<TraceEvent> events) {
    if (events.isEmpty()) {
      return NOTHING;
    }
    Encoder out = new Encoder();
    out.natural(events.size());
    for (TraceEvent event : events) {
      out.natural(event.step());
      out.octet(event.kind().ordinal());
      out.text(event.rule());
      out.whole(event.token());
      out.whole(event.before());
      out.whole(event.after());
      out.whole(event.scope());
      out.text(event.subject());
      out.text(event.label());
      out.text(event.detail());
    }
    return out.toBytes();
  }

  /// The parts of a stored trace as one.
  public static List<TraceEvent> decode(List<byte[]> parts) {
    List<TraceEvent> events = new ArrayList<>();
    for (byte[] part : parts) {
      Decoder in = new Decoder(part);
      for (int left = in.count(); left > 0; left--) {
        events.add(event(in));
      }
      in.requireEnd();
    }
    return events;
  }

  private static TraceEvent event(Decoder in) {
    TraceEvent.Kind[] kinds = TraceEvent.Kind.values();
    return new TraceEvent(
        in.natural(),
        kinds[in.below(kinds.length)],
        in.text(),
        (int) in.whole(),
        (int) in.whole(),
        (int) in.whole(),
        (int) in.whole(),
        in.text(),
        in.text(),
        in.text());
  }
}

package dev.damask.cases;

import dev.damask.exec.TraceEvent;
import dev.damask.task.Decoder;
import dev.damask.task.Encoder;
import dev.damask.task.TaskResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes the part of a trace that belongs to one commit, and reads it back. A part begins with the
/// time of its commit: the machine knows no clock, so its events have none.
public final class TraceCodec {
  private static final byte[] NOTHING = {};
  private static final List<TraceEvent.Kind> KINDS = List.of(TraceEvent.Kind.values());
  private static final int ROOM = 40; // of an event without its detail

  private TraceCodec() {}

  static byte[] encode(long atMillis, List<TraceEvent> events) {
    if (events.isEmpty()) {
      return NOTHING;
    }
    int room = ROOM;
    for (TraceEvent event : events) {
      TraceEvent.Evaluation evaluation = event.evaluation();
      room += ROOM + event.detail().length();
      if (evaluation != null) {
        room += evaluation.payload().weight() + evaluation.note().more().length();
      }
    }
    Encoder out = new Encoder(room);
    SharedTexts rules = new SharedTexts();
    SharedTexts origins = new SharedTexts();
    out.whole(atMillis);
    out.natural(events.size());
    for (TraceEvent event : events) {
      out.natural(event.step());
      out.octet(event.kind().ordinal());
      rules.write(event.rule(), out);
      out.whole(event.token());
      out.whole(event.before());
      out.whole(event.after());
      out.whole(event.scope());
      out.text(event.subject());
      out.text(event.label());
      out.text(event.detail());
      if (event.kind() == TraceEvent.Kind.EVALUATED) {
        evaluation(out, event.evaluation(), origins);
      }
    }
    return out.toBytes();
  }

  private static void evaluation(
      Encoder out, TraceEvent.@Nullable Evaluation evaluation, SharedTexts origins) {
    out.flag(evaluation != null);
    if (evaluation != null) {
      out.context(evaluation.payload());
      out.whole(evaluation.cost());
      origins.write(evaluation.note().origin(), out);
      out.text(evaluation.note().more());
    }
  }

  private static TraceEvent.@Nullable Evaluation evaluation(Decoder in, SharedTexts origins) {
    return in.flag()
        ? new TraceEvent.Evaluation(
            in.context(), in.whole(), new TaskResult.Note(origins.read(in), in.text()))
        : null;
  }

  /// The parts of a stored trace as one.
  public static List<TraceEvent> decode(List<byte[]> parts) {
    List<TraceEvent> events = new ArrayList<>();
    parts(parts).forEach(part -> events.addAll(part.events()));
    return events;
  }

  /// The parts of a stored trace, each with its time.
  public static List<TracePart> parts(List<byte[]> stored) {
    List<TracePart> parts = new ArrayList<>();
    for (byte[] part : stored) {
      Decoder in = new Decoder(part);
      long atMillis = in.whole();
      List<TraceEvent> events = new ArrayList<>();
      SharedTexts rules = new SharedTexts();
      SharedTexts origins = new SharedTexts();
      for (int left = in.count(); left > 0; left--) {
        events.add(event(in, rules, origins));
      }
      in.requireEnd();
      parts.add(new TracePart(atMillis, events));
    }
    return parts;
  }

  private static TraceEvent event(Decoder in, SharedTexts rules, SharedTexts origins) {
    long step = in.natural();
    TraceEvent.Kind kind = KINDS.get(in.below(KINDS.size()));
    return new TraceEvent(
        step,
        kind,
        rules.read(in),
        (int) in.whole(),
        (int) in.whole(),
        (int) in.whole(),
        (int) in.whole(),
        in.text(),
        in.text(),
        in.text(),
        kind == TraceEvent.Kind.EVALUATED ? evaluation(in, origins) : null);
  }
}

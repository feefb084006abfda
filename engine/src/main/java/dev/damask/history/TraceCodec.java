package dev.damask.history;

import dev.damask.event.ProcessEvent;
import dev.damask.event.TraceEvent;
import dev.damask.trace.FormatFour;
import dev.damask.trace.ProcessEvents;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.StepResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes the part of a trace that belongs to one commit, and reads it back.
///
/// A part of the first format begins with the time of its commit, and its events have no times:
/// reading gives them the time of the commit. A later part begins with [#VERSIONED], a time that no
/// commit has, and its version. Parts before version 3 have events about processes as text, which
/// [FormatFour] reads.
public final class TraceCodec {
  /// Stands where parts of the first format have the time of their commit, in 1970 and later.
  private static final long VERSIONED = -1;

  /// The first version with times of events, and the first with process events as data.
  private static final int TIMED = 2;

  private static final int VERSION = 3;
  private static final byte[] NOTHING = {};
  private static final int ROOM = 40; // of an event without its detail

  private TraceCodec() {}

  /// Returns the stored form of one part of a trace.
  public static byte[] encode(long atMillis, List<TraceEvent> events) {
    if (events.isEmpty()) {
      return NOTHING;
    }
    int room = ROOM;
    for (TraceEvent event : events) {
      TraceEvent.Evaluation evaluation = event.evaluation();
      room += ROOM + (event.process() == null ? event.detail().length() : 0);
      if (evaluation != null) {
        room += evaluation.payload().weight() + evaluation.note().more().length();
      }
    }
    Encoder out = new Encoder(room);
    SharedTexts rules = new SharedTexts();
    SharedTexts origins = new SharedTexts();
    out.whole(VERSIONED);
    out.natural(VERSION);
    out.whole(atMillis);
    out.natural(events.size());
    long time = atMillis;
    for (TraceEvent event : events) {
      out.natural(event.step());
      out.whole(event.atMillis() - time);
      time = event.atMillis();
      out.octet(event.kind().number());
      rules.write(event.rule(), out);
      out.whole(event.token());
      out.whole(event.before());
      out.whole(event.after());
      out.whole(event.scope());
      out.text(event.subject());
      out.text(event.label());
      out.text(event.process() == null ? event.detail() : "");
      ProcessEvents.write(event.process(), out);
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
            in.context(), in.whole(), new StepResult.Note(origins.read(in), in.text()))
        : null;
  }

  /// The parts of a stored trace as one.
  public static List<TraceEvent> decode(List<byte[]> parts) {
    List<TraceEvent> events = new ArrayList<>();
    parts(parts).forEach(part -> events.addAll(part.events()));
    return events;
  }

  /// The events of a stored trace from one step to another, both included.
  public static List<TraceEvent> decode(List<byte[]> parts, long from, long to) {
    List<TraceEvent> events = new ArrayList<>();
    for (byte[] part : parts) {
      for (TraceEvent event : decode(List.of(part))) {
        if (event.step() >= from && event.step() <= to) {
          events.add(event);
        }
      }
    }
    return events;
  }

  /// The parts of a stored trace, each with its time.
  public static List<TracePart> parts(List<byte[]> stored) {
    List<TracePart> parts = new ArrayList<>();
    for (byte[] part : stored) {
      Decoder in = new Decoder(part);
      long first = in.whole();
      boolean isTimed = first == VERSIONED;
      long version = isTimed ? in.natural() : 1;
      if (isTimed && (version < TIMED || version > VERSION)) {
        throw in.damaged("a trace has a version up to " + VERSION + ", found " + version);
      }
      long atMillis = isTimed ? in.whole() : first;
      long time = atMillis;
      List<TraceEvent> events = new ArrayList<>();
      SharedTexts rules = new SharedTexts();
      SharedTexts origins = new SharedTexts();
      for (int left = in.count(); left > 0; left--) {
        TraceEvent event = event(in, version, time, rules, origins);
        time = event.atMillis();
        events.add(event);
      }
      in.requireEnd();
      parts.add(new TracePart(atMillis, events));
    }
    return parts;
  }

  /// @param time of the event before, or of the commit
  private static TraceEvent event(
      Decoder in, long version, long time, SharedTexts rules, SharedTexts origins) {
    long step = in.natural();
    long atMillis = version >= TIMED ? time + in.whole() : time;
    TraceEvent.Kind kind = in.oneOf(TraceEvent.Kind.byNumber());
    String rule = rules.read(in);
    int token = (int) in.whole();
    int before = (int) in.whole();
    int after = (int) in.whole();
    int scope = (int) in.whole();
    String subject = in.text();
    String label = in.text();
    String detail = in.text();
    ProcessEvent process = version == VERSION ? ProcessEvents.read(in) : null;
    TraceEvent event =
        new TraceEvent(
            step,
            atMillis,
            kind,
            rule,
            token,
            before,
            after,
            scope,
            subject,
            label,
            detail,
            kind == TraceEvent.Kind.EVALUATED ? evaluation(in, origins) : null,
            process);
    return version == VERSION ? event : FormatFour.event(event);
  }
}

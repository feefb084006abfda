package dev.damask.trace;

import dev.damask.event.TraceEvent;
import dev.damask.event.Tracer;
import java.util.ArrayDeque;
import java.util.List;

/// Keeps the trace of a case in memory: the newest events, so that a case that never ends does not
/// use it up.
public final class TraceLog implements Tracer {
  /// How many events are kept unless the caller chooses another number.
  public static final int EVENTS_MAX = 250_000;

  private final TraceLevel level;
  private final int eventsMax;
  private final ArrayDeque<TraceEvent> events = new ArrayDeque<>();

  public TraceLog(TraceLevel level) {
    this(level, EVENTS_MAX);
  }

  public TraceLog(TraceLevel level, int eventsMax) {
    if (eventsMax < 1) {
      throw new IllegalArgumentException("eventsMax must be positive, got " + eventsMax);
    }
    this.level = level;
    this.eventsMax = eventsMax;
  }

  @Override
  public void accept(TraceEvent event) {
    if (events.size() >= eventsMax) {
      events.removeFirst();
    }
    events.add(event);
  }

  @Override
  public boolean wantsAll() {
    return level == TraceLevel.FULL;
  }

  /// Returns the kept events, oldest first.
  public List<TraceEvent> events() {
    return List.copyOf(events);
  }
}

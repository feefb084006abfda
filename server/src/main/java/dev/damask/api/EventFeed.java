package dev.damask.api;

import dev.damask.cases.Engine;
import dev.damask.ops.CaseEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The events of all cases, for readers that wait. A slow reader delays only itself.
public interface EventFeed extends AutoCloseable {
  /// Opens the events of an engine: of its own cases, or on a cluster those of all nodes.
  static EventFeed open(Engine engine) {
    return engine
        .changes()
        .<EventFeed>map(each ->
            ClusterEvents.open(each, new CursorSeal(engine.requestKeys().secret("cursors"))))
        .orElseGet(() -> EventHub.open(engine));
  }

  /// An event and its cursor.
  record Event(String cursor, CaseEvent event) {}

  /// Returns the cursor of a reader that begins now.
  String start();

  /// Throws [Problem] unless the events after a cursor are kept.
  void require(String cursor);

  /// Waits for events after a cursor and returns them, or null if some of them are not kept any
  /// more. Empty if none came in time.
  @Nullable List<Event> after(String cursor, int max, long millis) throws InterruptedException;

  /// Returns whether streams must end.
  boolean isClosed();

  /// Ends the streams.
  @Override
  void close();

  /// Returns the problem of a cursor that is older than what is kept.
  static Problem gone() {
    return new Problem(
        Problem.Kind.GONE,
        "the cursor is older than what is kept; read the list of cases, then start without it");
  }
}

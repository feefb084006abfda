package dev.damask.store.postgres;

import dev.damask.cluster.PolledMessages;
import java.util.LinkedHashMap;
import java.util.Map;

/// The messages that this node could not apply yet. They are tried again after growing pauses, and
/// logged when the reason changes, so that many of them do not use up the node.
///
/// Thread-safe.
final class HeldMessages {
  private static final int KNOWN_MAX = 10_000;
  private static final long PAUSE_MAX_SECONDS = 64;

  private record Held(String why, long pauseSeconds) {}

  /// The next pause of a message.
  ///
  /// @param isNew whether the reason was not known
  record Pause(long seconds, boolean isNew) {}

  // The oldest is forgotten when there are too many: its pauses begin again. Guarded by this.
  private final Map<PolledMessages.Key, Held> known =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<PolledMessages.Key, Held> eldest) {
          return size() > KNOWN_MAX;
        }
      };

  /// Notes that a message could not be applied.
  synchronized Pause hold(PolledMessages.Key message, String why) {
    Held before = known.get(message);
    boolean isNew = before == null || !before.why.equals(why);
    long pause =
        before == null || isNew
            ? PostgresInbox.HELD_MIN_SECONDS
            : Math.min(2 * before.pauseSeconds, PAUSE_MAX_SECONDS);
    known.put(message, new Held(why, pause));
    return new Pause(pause, isNew);
  }

  /// Forgets all of them: their pauses begin again.
  synchronized void clear() {
    known.clear();
  }
}

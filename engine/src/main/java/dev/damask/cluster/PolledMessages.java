package dev.damask.cluster;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Tells which of the polled messages are new. A poll keeps no cursor and returns a message until
/// its row is gone, because the order of a sequence is not the order of commits: a cursor would
/// pass over a message whose transaction commits late.
///
/// Not thread-safe: one thread per node polls.
public final class PolledMessages {
  /// The identity of a message.
  public record Key(String caseId, String messageId) {}

  private Set<Key> delivered = new HashSet<>();

  /// Returns the messages that the poll before did not return, in the order given. Forgets those
  /// that are gone, so that a message that is sent again after it was applied is delivered again.
  ///
  /// @param polled everything that waits for the node
  public List<Key> fresh(Collection<Key> polled) {
    List<Key> fresh = polled.stream().filter(key -> !delivered.contains(key)).toList();
    delivered = new HashSet<>(polled);
    return fresh;
  }

  /// Whether a message was delivered and need not be read again.
  public boolean isKnown(Key key) {
    return delivered.contains(key);
  }

  /// Delivers a message again with the next poll, because it could not be applied.
  public void retry(Key key) {
    delivered.remove(key);
  }
}

package dev.damask.door;

import dev.damask.api.Audit;
import dev.damask.api.Authenticator;
import java.time.Clock;
import java.util.Optional;

/// Whom a door knows and what it limits.
///
/// @param tokens what is known about tokens; empty for the door of an application that knows its
///   users itself. Such a door shows the page to them alone
/// @param perSecond requests per second and caller; 0 for no limit
/// @param streams open event streams
/// @param audit receives what callers have done and tried
/// @param clock the time of streams and jobs
public record DoorOptions(
    Optional<Authenticator> tokens, double perSecond, int streams, Audit audit, Clock clock) {
  /// Returns whether the callers are those of an application.
  boolean isOfApplication() {
    return tokens.isEmpty();
  }
}

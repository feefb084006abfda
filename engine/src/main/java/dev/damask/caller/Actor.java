package dev.damask.caller;

import java.util.OptionalLong;

/// On whose behalf the engine is called, for the audit log.
///
/// @param name the person or program; never a field of the request
/// @param reason why, for people; empty if the caller specified none
/// @param revision the revision that a case must have to be changed; empty for any
public record Actor(String name, String reason, OptionalLong revision) {
  public Actor {
    if (name.isBlank()) {
      throw new IllegalArgumentException("an actor must have a name");
    }
    if (revision.isPresent() && revision.getAsLong() < 0) {
      throw new IllegalArgumentException(
          "revision must not be negative, got " + revision.getAsLong());
    }
  }

  /// Creates an actor that changes cases of any revision.
  public Actor(String name, String reason) {
    this(name, reason, OptionalLong.empty());
  }

  /// Returns an actor without a reason.
  public static Actor named(String name) {
    return new Actor(name, "");
  }

  /// Returns the same actor with a reason.
  public Actor because(String why) {
    return new Actor(name, why, revision);
  }

  /// Returns the same actor, whose changes of an existing case are refused with
  /// [StaleRevisionException] unless the case has this revision when the change is applied. The
  /// owner of the case compares, so no other change can come between. A new case is not compared.
  public Actor onlyAt(long wanted) {
    return new Actor(name, reason, OptionalLong.of(wanted));
  }
}

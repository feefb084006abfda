package dev.damask.verify;

import dev.damask.event.Status;
import java.util.Locale;

/// One way in which a workflow itself ends a case with a status other than completed.
///
/// @param status cancelled or failed
/// @param subject the task, scope or reason; empty if there is none
/// @param where the path of the term that ends the case
public record Ending(Status status, Cause cause, String subject, String where) {
  /// The cause of an end.
  public enum Cause {
    /// A `fail:` of the workflow.
    FAIL(true),
    /// A `kill: case` of the workflow.
    KILL_CASE(true),
    /// An effect fails after its last attempt and no scope catches the failure.
    EFFECT(true),
    /// No guard of a choice is true, and it has no else.
    NO_BRANCH(false),
    /// The number of instances is below `min` or above `max`.
    MI_BOUNDS(false),
    /// Branches of a join with `merge: fail` wrote one key with different values.
    MERGE_CONFLICT(false),
    /// A join gets fewer branches than it needs.
    JOIN_GIVEN_UP(false),
    /// The last token is removed before one has reached the end.
    NO_TOKEN(false),
    /// A scope without `onTimeout` times out.
    TIMEOUT(false),
    /// A limit of the case is reached.
    LIMIT(false);

    private final boolean intended;

    Cause(boolean intended) {
      this.intended = intended;
    }

    /// Returns whether the term itself states that the case may end there.
    public boolean isIntended() {
      return intended;
    }
  }

  /// Returns the word for the status in documents.
  public String word() {
    return status.name().toLowerCase(Locale.ROOT);
  }

  /// Returns the end as a sentence without the place.
  public String sentence() {
    return "the case is " + word() + " " + how();
  }

  /// Returns the cause as the end of a sentence.
  public String how() {
    return switch (cause) {
      case FAIL -> "by 'fail: " + subject + "'";
      case KILL_CASE -> "by 'kill: case'";
      case EFFECT -> "where task " + subject + " fails";
      case NO_BRANCH -> "with no_branch: no guard of the choice is true and it has no else";
      case MI_BOUNDS -> "with mi_bounds: the number of instances is outside its bounds";
      case MERGE_CONFLICT -> "with merge_conflict: two branches write different values";
      case JOIN_GIVEN_UP -> "because a join gets fewer branches than it needs";
      case NO_TOKEN -> "because its last token is removed before one has reached the end";
      case TIMEOUT -> "with timeout: scope " + subject + " times out and has no onTimeout";
      case LIMIT -> "with " + subject + ": a limit is reached";
    };
  }

  @Override
  public String toString() {
    return word() + " " + how() + (where.isEmpty() ? "" : " at " + where);
  }
}

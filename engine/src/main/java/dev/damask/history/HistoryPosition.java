package dev.damask.history;

/// A state that a case was in: after one of its inputs, when the machine had run until the next
/// input or the commit.
///
/// @param number from 1, in the order of time
/// @param revision the commit that the input belongs to
/// @param isCommitted whether the state is the one of the commit, which is stored
/// @param atMillis the time of the case's clock
/// @param subject what the cause is about: a task, a place, a scope or a set of instances; empty if
///   it is about nothing else than the case
public record HistoryPosition(
    long number, long revision, boolean isCommitted, long atMillis, Cause cause, String subject) {
  /// What led to a state.
  public enum Cause {
    STARTED,
    RESULT,
    FAILURE,
    EFFECT_REQUESTED,
    INCIDENT,
    RETRY,
    SENT,
    TASK_CANCELLED,
    SIGNAL,
    CANCELLED,
    COMPLETED_EARLY,
    CASE_FAILED,
    INSTANCE_ADDED,
    INSTANCES_CLOSED,
    TIME,
    MIGRATED,
    /// An operator wrote keys of a waiting token.
    DATA_CHANGED,
    PAUSED,
    RESUMED,
    /// The inputs of the commit are not known, or it had none.
    COMMIT
  }

  /// Returns the cause and its subject.
  public String text() {
    String word = cause.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    return subject.isEmpty() ? word : word + " " + subject;
  }
}

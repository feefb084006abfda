package dev.damask.verify;

/// The property that a verdict is about.
public enum Property {
  /// From every reachable state an end can be reached, and the case can complete at all.
  OPTION_TO_COMPLETE("option to complete"),
  /// When the case ends, its main token has reached the end and no other token is left.
  PROPER_COMPLETION("proper completion"),
  /// Every task can run.
  NO_DEAD_TASKS("no dead tasks"),
  /// The case is never deadlocked.
  NO_DEADLOCK("no deadlock"),
  /// The case never runs forever without a way to end.
  NO_LIVELOCK("no livelock"),
  /// The number of tokens has a bound; in a net, one for each place.
  BOUNDED("bounded tokens"),
  /// An assertion of the user.
  ASSERTION("assertion");

  private final String text;

  Property(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}

package dev.damask.exec;

/// A decision of the settling machine that rests on what can still arrive.
///
/// @param frame the id of the net, or of the frame of the token that waits
/// @param node the join that is decided; -1 for a wait
/// @param waitNumber the number of the wait that expires; 0 for a join
record Decision(Kind kind, int frame, int node, int waitNumber) {
  enum Kind {
    /// An OR-join fires although an arc is empty.
    OR_JOIN,
    /// An OR-join fires because it and others wait only for each other.
    CIRCLE,
    /// A blocking join that has fired begins its next round.
    RESET,
    /// A join with `short: abort` is given up.
    ABORT,
    /// A wait takes its `expired` alternative.
    EXPIRED,
    /// As EXPIRED, where waits block each other.
    EXPIRED_CIRCLE
  }

  /// Is asked before each decision; a decision it does not allow is not taken. Tests observe and
  /// prevent decisions through it; a machine without a gate takes them all.
  interface Gate {
    boolean allows(ExecState state, Decision decision);
  }
}

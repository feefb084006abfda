package dev.damask.event;

/// Decides where the rules leave a choice. It is asked only when there is one.
public interface Scheduler {
  /// Whether every choice is the first option, so that the machine need not ask.
  boolean isInOrder();

  /// The index of the chosen option.
  int choose(Choice choice);
}

package dev.damask.simulation;

/// What goes wrong in one run: for each fault how often it happens, as one in so many; 0 for never.
///
/// @param crash after an event
/// @param torn part of a batch survives a crash
/// @param failingDisk a batch cannot be written
/// @param fullDisk there is no room for new cases
/// @param slowDisk how many milliseconds a sync takes at most
/// @param clockJump the clock jumps by hours
/// @param failedCall an attempt of an effect fails
/// @param lateResult a result comes much later
/// @param twiceResult a result comes twice
/// @param lostAnswer a client does not receive the answer and asks again
/// @param poison a task takes the process along
/// @param breaks a move of a case throws an error
/// @param retention what has ended is removed
/// @param zombie what a dead process had handed over is written after the next one has opened
/// @param clockBack the clock was set back or forward while the process was down
public record Faults(
    int crash,
    int torn,
    int failingDisk,
    int fullDisk,
    int slowDisk,
    int clockJump,
    int failedCall,
    int lateResult,
    int twiceResult,
    int lostAnswer,
    int poison,
    int breaks,
    int retention,
    int zombie,
    int clockBack) {
  public static final Faults NONE = new Faults(0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /// A random subset with random rates.
  static Faults of(Choices choices) {
    return new Faults(
        rate(choices, 20),
        rate(choices, 2),
        rate(choices, 60),
        rate(choices, 10),
        1 + (choices.oneIn(2) ? choices.next(2_000) : choices.next(20)),
        rate(choices, 40),
        rate(choices, 5),
        rate(choices, 5),
        rate(choices, 5),
        rate(choices, 6),
        choices.oneIn(6) ? 1 : 0,
        rate(choices, 60),
        rate(choices, 20),
        rate(choices, 2),
        rate(choices, 3));
  }

  private static int rate(Choices choices, int rarity) {
    return choices.oneIn(2) ? 1 + choices.next(2 * rarity) : 0;
  }

  /// Whether a fault of that rate happens now.
  static boolean happens(Choices choices, int rate) {
    return rate > 0 && choices.oneIn(rate);
  }
}

package dev.damask.term;

/// A named queue of tokens with payloads, through which the parts of a case and its callers
/// exchange data.
///
/// @param external whether signals are accepted
/// @param lifetime what happens to a token that no wait takes at once
/// @param init how many tokens it holds when the case starts
public record Place(String name, boolean external, Lifetime lifetime, int init) {
  /// Whether a place keeps tokens that no wait takes at once.
  public enum Lifetime {
    PERSISTENT,
    TRANSIENT
  }

  /// The largest number of initial tokens.
  public static final int INIT_MAX = 1_000;

  public Place {
    Names.require("place", name);
    if (init < 0 || init > INIT_MAX) {
      throw new IllegalArgumentException(
          "place " + name + ": init must be between 0 and " + INIT_MAX + ", got " + init);
    }
    if (lifetime == Lifetime.TRANSIENT && init > 0) {
      throw new IllegalArgumentException(
          "place " + name + ": a transient place keeps nothing, so init is 0, got " + init);
    }
  }

  /// Returns a place that only the workflow puts tokens on.
  public static Place internal(String name) {
    return new Place(name, false, Lifetime.PERSISTENT, 0);
  }

  /// Returns a place that accepts signals and keeps them.
  public static Place external(String name) {
    return new Place(name, true, Lifetime.PERSISTENT, 0);
  }

  /// Returns a place that accepts signals and drops them unless a wait takes them at once.
  public static Place trigger(String name) {
    return new Place(name, true, Lifetime.TRANSIENT, 0);
  }

  /// Returns a place with one token, for sections that exclude each other.
  public static Place mutex(String name) {
    return new Place(name, false, Lifetime.PERSISTENT, 1);
  }
}

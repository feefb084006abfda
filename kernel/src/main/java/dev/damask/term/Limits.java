package dev.damask.term;

/// The bounds of a case. Each violation fails the case with a reason that names the limit.
public record Limits(
    int nodes,
    int branches,
    int callDepth,
    int instances,
    int openEffects,
    int placeTokens,
    int contextBytes,
    long steps) {
  public static final Limits DEFAULT =
      new Limits(100_000, 10_000, 50, 10_000, 1_000, 1_000, 256 * 1_024, 100_000_000L);

  public Limits {
    require("nodes", nodes);
    require("branches", branches);
    require("callDepth", callDepth);
    require("instances", instances);
    require("openEffects", openEffects);
    require("placeTokens", placeTokens);
    require("contextBytes", contextBytes);
    require("steps", steps);
  }

  private static void require(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException("limit " + name + " is at least 1, got " + value);
    }
  }

  public Limits withCallDepth(int value) {
    return new Limits(
        nodes, branches, value, instances, openEffects, placeTokens, contextBytes, steps);
  }

  public Limits withSteps(long value) {
    return new Limits(
        nodes, branches, callDepth, instances, openEffects, placeTokens, contextBytes, value);
  }
}

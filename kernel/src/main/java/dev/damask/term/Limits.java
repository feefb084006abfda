package dev.damask.term;

/// The bounds of a case. Each violation fails the case with a reason that names the limit.
///
/// @param bufferedBytes of the payloads that wait on external places of a case
/// @param resultBytes of the result of an effect
public record Limits(
    int nodes,
    int branches,
    int callDepth,
    int instances,
    int openEffects,
    int placeTokens,
    int contextBytes,
    long steps,
    int bufferedBytes,
    int resultBytes) {
  private static final int BUFFERED_BYTES = 4 * 1_024 * 1_024;
  private static final int RESULT_BYTES = 256 * 1_024;

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
    require("bufferedBytes", bufferedBytes);
    require("resultBytes", resultBytes);
  }

  /// With the usual bounds of buffered input and of results.
  public Limits(
      int nodes,
      int branches,
      int callDepth,
      int instances,
      int openEffects,
      int placeTokens,
      int contextBytes,
      long steps) {
    this(
        nodes,
        branches,
        callDepth,
        instances,
        openEffects,
        placeTokens,
        contextBytes,
        steps,
        BUFFERED_BYTES,
        RESULT_BYTES);
  }

  private static void require(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException("limit " + name + " must be at least 1, got " + value);
    }
  }

  /// Returns these limits with another bound of nested calls.
  public Limits withCallDepth(int value) {
    return new Limits(
        nodes,
        branches,
        value,
        instances,
        openEffects,
        placeTokens,
        contextBytes,
        steps,
        bufferedBytes,
        resultBytes);
  }

  /// Returns these limits with another bound of steps.
  public Limits withSteps(long value) {
    return new Limits(
        nodes,
        branches,
        callDepth,
        instances,
        openEffects,
        placeTokens,
        contextBytes,
        value,
        bufferedBytes,
        resultBytes);
  }

  /// With other bounds of what a case buffers and of the result of an effect.
  public Limits withBytes(int buffered, int result) {
    return new Limits(
        nodes,
        branches,
        callDepth,
        instances,
        openEffects,
        placeTokens,
        contextBytes,
        steps,
        buffered,
        result);
  }
}

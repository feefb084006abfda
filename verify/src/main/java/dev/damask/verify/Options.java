package dev.damask.verify;

import java.util.List;

/// What a search assumes about the world outside, and how far it goes.
///
/// @param failures whether effects may fail, and choices without an else may find no branch
/// @param signals how often the outside may signal each external place
/// @param timers whether timers may fire
/// @param instancesMax the most instances of a set whose number depends on data
/// @param addedMax how many instances the outside may add to open sets, over the whole case
/// @param statesMax how many states may be visited
/// @param tokensMax how many tokens a state may have before the search calls it unbounded
/// @param millisMax how long a search may take
/// @param bytesMax how much memory the visited states may take; above all of it, the heap decides
public record Options(
    boolean failures,
    Signals signals,
    boolean timers,
    int instancesMax,
    int addedMax,
    long statesMax,
    int tokensMax,
    long millisMax,
    long bytesMax,
    Reduction reduction,
    List<Assertion> assertions,
    Progress progress) {
  /// How often the outside signals.
  public enum Signals {
    /// As often as somebody waits.
    ANY,
    /// Each place at most once.
    ONCE,
    NEVER
  }

  /// What a search can count.
  public static final int ADDED_MAX = 100;

  public static final Options DEFAULT =
      new Options(
          true,
          Signals.ANY,
          true,
          3,
          0,
          2_000_000,
          64,
          Long.MAX_VALUE,
          Long.MAX_VALUE,
          Reduction.AUTO,
          List.of(),
          Progress.SILENT);

  public Options {
    assertions = List.copyOf(assertions);
    boolean positive =
        instancesMax > 0 && statesMax > 0 && tokensMax > 0 && millisMax > 0 && bytesMax > 0;
    if (!positive || addedMax < 0) {
      throw new IllegalArgumentException("a bound of a search is positive");
    }
    if (addedMax > ADDED_MAX) {
      throw new IllegalArgumentException("at most " + ADDED_MAX + " instances can be added");
    }
  }

  /// Effects never fail for good.
  public Options withoutFailures() {
    return new Options(
        false,
        signals,
        timers,
        instancesMax,
        addedMax,
        statesMax,
        tokensMax,
        millisMax,
        bytesMax,
        reduction,
        assertions,
        progress);
  }

  public Options withSignals(Signals changed) {
    return new Options(
        failures,
        changed,
        timers,
        instancesMax,
        addedMax,
        statesMax,
        tokensMax,
        millisMax,
        bytesMax,
        reduction,
        assertions,
        progress);
  }

  /// Timers never fire.
  public Options withoutTimers() {
    return new Options(
        failures,
        signals,
        false,
        instancesMax,
        addedMax,
        statesMax,
        tokensMax,
        millisMax,
        bytesMax,
        reduction,
        assertions,
        progress);
  }

  public Options withInstances(int most, int added) {
    return new Options(
        failures,
        signals,
        timers,
        most,
        added,
        statesMax,
        tokensMax,
        millisMax,
        bytesMax,
        reduction,
        assertions,
        progress);
  }

  public Options withStates(long most) {
    return new Options(
        failures,
        signals,
        timers,
        instancesMax,
        addedMax,
        most,
        tokensMax,
        millisMax,
        bytesMax,
        reduction,
        assertions,
        progress);
  }

  public Options withMillis(long most) {
    return new Options(
        failures,
        signals,
        timers,
        instancesMax,
        addedMax,
        statesMax,
        tokensMax,
        most,
        bytesMax,
        reduction,
        assertions,
        progress);
  }

  public Options withReduction(Reduction changed) {
    return new Options(
        failures,
        signals,
        timers,
        instancesMax,
        addedMax,
        statesMax,
        tokensMax,
        millisMax,
        bytesMax,
        changed,
        assertions,
        progress);
  }

  public Options withAssertions(List<Assertion> all) {
    return new Options(
        failures,
        signals,
        timers,
        instancesMax,
        addedMax,
        statesMax,
        tokensMax,
        millisMax,
        bytesMax,
        reduction,
        all,
        progress);
  }

  public Options withProgress(Progress watcher) {
    return new Options(
        failures,
        signals,
        timers,
        instancesMax,
        addedMax,
        statesMax,
        tokensMax,
        millisMax,
        bytesMax,
        reduction,
        assertions,
        watcher);
  }

  public Options withBytes(long most) {
    return new Options(
        failures,
        signals,
        timers,
        instancesMax,
        addedMax,
        statesMax,
        tokensMax,
        millisMax,
        most,
        reduction,
        assertions,
        progress);
  }
}

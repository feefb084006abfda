package dev.damask.verify;

import java.util.List;
import java.util.function.Consumer;

/// What a search assumes about the world outside, and how far it goes. Options never change; each
/// `with` gives others.
public final class Options {
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

  public static final Options DEFAULT = new Options();

  private boolean failures = true;
  private Signals signals = Signals.ANY;
  private boolean timers = true;
  private int instancesMax = 3;
  private int addedMax;
  private long statesMax = 2_000_000;
  private int tokensMax = 64;
  private long millisMax = Long.MAX_VALUE;
  private long bytesMax = Long.MAX_VALUE;
  private Reduction reduction = Reduction.AUTO;
  private List<Assertion> assertions = List.of();
  private Progress progress = Progress.SILENT;

  private Options() {}

  private Options with(Consumer<Options> change) {
    Options changed = new Options();
    changed.failures = failures;
    changed.signals = signals;
    changed.timers = timers;
    changed.instancesMax = instancesMax;
    changed.addedMax = addedMax;
    changed.statesMax = statesMax;
    changed.tokensMax = tokensMax;
    changed.millisMax = millisMax;
    changed.bytesMax = bytesMax;
    changed.reduction = reduction;
    changed.assertions = assertions;
    changed.progress = progress;
    change.accept(changed);
    return changed;
  }

  private static long positive(long bound) {
    if (bound <= 0) {
      throw new IllegalArgumentException("a bound of a search is positive");
    }
    return bound;
  }

  /// Effects never fail for good.
  public Options withoutFailures() {
    return with(o -> o.failures = false);
  }

  public Options withSignals(Signals value) {
    return with(o -> o.signals = value);
  }

  /// Timers never fire.
  public Options withoutTimers() {
    return with(o -> o.timers = false);
  }

  public Options withInstances(int most, int added) {
    if (added < 0 || added > ADDED_MAX) {
      throw new IllegalArgumentException("at most " + ADDED_MAX + " instances can be added");
    }
    return with(o -> {
      o.instancesMax = (int) positive(most);
      o.addedMax = added;
    });
  }

  public Options withStates(long most) {
    return with(o -> o.statesMax = positive(most));
  }

  public Options withTokens(int most) {
    return with(o -> o.tokensMax = (int) positive(most));
  }

  public Options withMillis(long most) {
    return with(o -> o.millisMax = positive(most));
  }

  public Options withBytes(long most) {
    return with(o -> o.bytesMax = positive(most));
  }

  public Options withReduction(Reduction value) {
    return with(o -> o.reduction = value);
  }

  public Options withAssertions(List<Assertion> all) {
    List<Assertion> copy = List.copyOf(all);
    return with(o -> o.assertions = copy);
  }

  public Options withProgress(Progress watcher) {
    return with(o -> o.progress = watcher);
  }

  /// Whether effects may fail, and choices without an else may find no branch.
  public boolean failures() {
    return failures;
  }

  /// How often the outside may signal each external place.
  public Signals signals() {
    return signals;
  }

  /// Whether timers may fire.
  public boolean timers() {
    return timers;
  }

  /// The most instances of a set whose number depends on data.
  public int instancesMax() {
    return instancesMax;
  }

  /// How many instances the outside may add to open sets, over the whole case.
  public int addedMax() {
    return addedMax;
  }

  /// How many states may be visited.
  public long statesMax() {
    return statesMax;
  }

  /// How many tokens a state may have before the search calls it unbounded.
  public int tokensMax() {
    return tokensMax;
  }

  /// How long a search may take.
  public long millisMax() {
    return millisMax;
  }

  /// How much memory the visited states may take; above all of it, the heap decides.
  public long bytesMax() {
    return bytesMax;
  }

  public Reduction reduction() {
    return reduction;
  }

  public List<Assertion> assertions() {
    return assertions;
  }

  public Progress progress() {
    return progress;
  }
}

package dev.damask.verify;

import dev.damask.event.Status;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/// The assumptions of a search about external events, and its limits. Instances are immutable; each
/// `with` method returns a copy.
public final class Options {
  /// The number of signals from outside the case.
  public enum Signals {
    /// As many as are awaited.
    ANY,
    /// At most one per place.
    ONCE,
    NEVER
  }

  /// The maximum number of added instances that a search can count.
  public static final int ADDED_MAX = 100;

  public static final Options DEFAULT = new Options();

  private boolean failures = true;
  private Signals signals = Signals.ANY;
  private boolean timers = true;
  private int instancesMax = 3;
  private int addedMax;
  private long statesMax = 2_000_000;
  private int depthMax = Integer.MAX_VALUE;
  private int tokensMax = 64;
  private long millisMax = Long.MAX_VALUE;
  private long bytesMax = Long.MAX_VALUE;
  private Reduction reduction = Reduction.AUTO;
  private List<Assertion> assertions = List.of();
  private Set<Status> mayEnd = Set.of();
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
    changed.depthMax = depthMax;
    changed.tokensMax = tokensMax;
    changed.millisMax = millisMax;
    changed.bytesMax = bytesMax;
    changed.reduction = reduction;
    changed.assertions = assertions;
    changed.mayEnd = mayEnd;
    changed.progress = progress;
    change.accept(changed);
    return changed;
  }

  private static long positive(long bound) {
    if (bound <= 0) {
      throw new IllegalArgumentException("a search limit must be positive");
    }
    return bound;
  }

  /// Returns a copy in which effects do not fail.
  public Options withoutFailures() {
    return with(o -> o.failures = false);
  }

  /// Returns a copy with this number of signals.
  public Options withSignals(Signals value) {
    return with(o -> o.signals = value);
  }

  /// Returns a copy in which timers do not fire.
  public Options withoutTimers() {
    return with(o -> o.timers = false);
  }

  /// Returns a copy with these maximum numbers of instances and added instances.
  public Options withInstances(int most, int added) {
    if (added < 0 || added > ADDED_MAX) {
      throw new IllegalArgumentException(
          "added instances must be at most " + ADDED_MAX + ", got " + added);
    }
    return with(o -> {
      o.instancesMax = (int) positive(most);
      o.addedMax = added;
    });
  }

  /// Returns a copy with this maximum number of states.
  public Options withStates(long most) {
    return with(o -> o.statesMax = positive(most));
  }

  /// Returns a copy with this maximum number of tokens.
  public Options withTokens(int most) {
    return with(o -> o.tokensMax = (int) positive(most));
  }

  /// Returns a copy in which runs of more than this number of steps are not searched to their end.
  public Options withDepth(int most) {
    return with(o -> o.depthMax = (int) positive(most));
  }

  /// Returns a copy with this time limit in milliseconds.
  public Options withMillis(long most) {
    return with(o -> o.millisMax = positive(most));
  }

  /// Returns a copy with this memory limit in bytes.
  public Options withBytes(long most) {
    return with(o -> o.bytesMax = positive(most));
  }

  /// Returns a copy with this reduction.
  public Options withReduction(Reduction value) {
    return with(o -> o.reduction = value);
  }

  /// Returns a copy with these assertions instead of the present ones.
  public Options withAssertions(List<Assertion> all) {
    Set<Status> allowed = EnumSet.noneOf(Status.class);
    List<Assertion> watched = new ArrayList<>();
    for (Assertion each : all) {
      if (each instanceof Assertion.MayEnd(var statuses)) {
        allowed.addAll(statuses);
      } else {
        watched.add(each);
      }
    }
    return with(o -> {
      o.assertions = List.copyOf(watched);
      o.mayEnd = Set.copyOf(allowed);
    });
  }

  /// Returns a copy that watches only these assertions. The allowed ends of a case stay the same.
  Options watching(List<Assertion> some) {
    return with(o -> o.assertions = List.copyOf(some));
  }

  /// Returns a copy that reports its progress to this watcher.
  public Options withProgress(Progress watcher) {
    return with(o -> o.progress = watcher);
  }

  /// Returns whether effects may fail, and choices without an else may find no branch.
  public boolean failures() {
    return failures;
  }

  /// Returns the number of signals to each external place.
  public Signals signals() {
    return signals;
  }

  /// Returns whether timers may fire.
  public boolean timers() {
    return timers;
  }

  /// Returns the maximum number of instances of a set whose number depends on data.
  public int instancesMax() {
    return instancesMax;
  }

  /// Returns the maximum number of instances that can be added to open sets over the whole case.
  public int addedMax() {
    return addedMax;
  }

  /// Returns the maximum number of states.
  public long statesMax() {
    return statesMax;
  }

  /// Returns the maximum number of machine steps and external events of a run; in a net, of
  /// transitions.
  public int depthMax() {
    return depthMax;
  }

  boolean isDepthBounded() {
    return depthMax < Integer.MAX_VALUE;
  }

  /// Returns the number of tokens above which a state counts as unbounded.
  public int tokensMax() {
    return tokensMax;
  }

  /// Returns the time limit of a search in milliseconds.
  public long millisMax() {
    return millisMax;
  }

  /// Returns the memory limit of the visited states in bytes. The heap is a further limit.
  public long bytesMax() {
    return bytesMax;
  }

  /// Returns the reduction.
  public Reduction reduction() {
    return reduction;
  }

  /// Returns the assertions that a search watches.
  public List<Assertion> assertions() {
    return assertions;
  }

  /// Returns the statuses other than completed with which the workflow itself may end a case.
  public Set<Status> mayEnd() {
    return mayEnd;
  }

  /// Returns the watcher that progress is reported to.
  public Progress progress() {
    return progress;
  }
}

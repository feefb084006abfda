package dev.damask.script;

import dev.damask.effect.Effect;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Receipt;
import dev.damask.effect.ScriptUnwound;
import dev.damask.event.Failure;
import dev.damask.task.EffectId;
import dev.damask.task.TaskFunction;
import dev.damask.value.Context;
import dev.damask.value.TaskResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// One run of a script from its beginning, on one thread and those of its `all` items.
///
/// A step that is recorded returns its outcome; the first one that is not is asked of the case's
/// shard, and the run waits for it or is unwound. The run changes nothing itself.
public final class ScriptRun implements TaskFunction {
  private static final String NOW = "now";
  private static final String RANDOM = "random";
  private static final String ID = "uuid";
  private static final String VERSION = "version ";

  /// What a run is made of.
  ///
  /// @param call the execution of the task; its id is the base of the ids of its steps
  /// @param open the intents of the open steps when the run was planned
  /// @param isFirst whether nothing can be recorded yet
  /// @param number of the run of this execution, from 1
  /// @param undone the execution that this one undoes; null if it undoes none
  public record Plan(
      EffectCall call,
      ScriptFunction function,
      ScriptPort port,
      List<EffectIntent> open,
      boolean isFirst,
      int number,
      @Nullable EffectId undone) {
    public Plan {
      open = List.copyOf(open);
    }
  }

  final Plan plan;
  private final boolean isCollecting;
  final UnsentReports reports = new UnsentReports();
  private final List<RecordedUndo> undos = new ArrayList<>();
  private final ConcurrentHashMap<Thread, Strand> strands = new ConcurrentHashMap<>();

  // All guarded by this.
  private RecordedSteps log = RecordedSteps.empty();
  private final Map<EffectId, StepEnding> delivered = new HashMap<>();
  private final List<Receipt.Body> marks = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();
  private @Nullable ScriptUnwound left; // null until the run must end
  private @Nullable Throwable stopped; // null until an error or another step stops the run
  private @Nullable ScriptDivergedException diverged; // null while the steps are the recorded ones
  private volatile boolean isPatient; // whether a step may take so long that it should leave memory

  /// Creates a run; nothing happens before [#run(Context)].
  public ScriptRun(Plan plan) {
    this(plan, false);
  }

  /// @param isCollecting whether it only repeats what is recorded, to find the undo functions
  ScriptRun(Plan plan, boolean isCollecting) {
    this.plan = plan;
    this.isCollecting = isCollecting;
  }

  /// Returns the execution of the task.
  public EffectCall call() {
    return plan.call();
  }

  /// Runs the script. Throws [ScriptUnwound] if the run ended before the script.
  @Override
  public TaskResult run(Context context) {
    try {
      TaskResult result = result(context);
      requireNothingLeft(plan.call().task());
      throwIfLeft();
      flush();
      return result;
    } catch (ScriptUnwound e) {
      if (!plan.port().mayBlock() && !isCollecting) {
        send(new ScriptMessage.Leave());
      }
      throw e;
    } catch (ScriptDivergedException | VirtualMachineError e) {
      throw stop(e);
    } finally {
      reports.sendAll();
      strands.clear();
    }
  }

  /// How the code of the script ended.
  private TaskResult result(Context context) {
    enter(plan.call().task());
    try {
      return plan.function().run(this, context);
    } catch (ScriptUnwound | ScriptDivergedException | VirtualMachineError e) {
      throw e;
    } catch (StepFailedException e) {
      return new TaskResult.Failed(e.reason(), String.valueOf(e.getMessage()));
    } catch (EffectException e) {
      return new TaskResult.Failed(e.reason(), String.valueOf(e.getMessage()));
    } catch (Exception e) {
      return new TaskResult.Failed(Failure.EXCEPTION, EffectResult.text(e));
    } catch (Error e) { // a bug, not an outcome of the script
      throw stop(e);
    }
  }

  private void enter(String name) {
    EffectCall call = plan.call();
    if (!plan.isFirst()) {
      RecordedSteps read = RecordedSteps.of(call.id(), plan.port().receipts(), plan.open());
      synchronized (this) {
        log = read;
      }
    }
    strands.put(Thread.currentThread(), new Strand(name, false));
  }

  /// The run cannot continue, whichever of its threads found out: all its strands end, and the case
  /// is an incident with the first reason. What follows after the run has ended is discarded.
  ScriptUnwound stop(Throwable why) {
    ScriptUnwound unwound;
    Throwable first = null;
    synchronized (this) {
      if (left == null) {
        first = diverged == null ? why : diverged;
        stopped = first;
      }
      unwound = unwind("the script stopped: " + why);
    }
    if (first != null && !isCollecting) {
      send(new ScriptMessage.Stop(first));
    }
    return unwound;
  }

  /// Why the run was stopped; null if it was not.
  synchronized @Nullable Throwable stopped() {
    return stopped;
  }

  /// The undo functions of the completed steps that the run has asked for.
  synchronized List<RecordedUndo> undos() {
    return List.copyOf(undos);
  }

  /// Ends the run: every use of the script throws from now on.
  public synchronized ScriptUnwound unwind(String why) {
    ScriptUnwound unwound = left == null ? new ScriptUnwound(why) : left;
    left = unwound;
    wake();
    return unwound;
  }

  /// Also what the code of the script has caught is thrown again.
  synchronized void throwIfLeft() {
    if (left != null) {
      throw left;
    }
    if (diverged != null) {
      throw diverged;
    }
  }

  /// A step waits for a time, a signal or a decision: the run leaves memory if that takes long. A
  /// wait with a limit costs more than one without, so calls begin without one.
  public synchronized void mayTakeLong() {
    isPatient = true;
    wake();
  }

  /// A step has ended. The first outcome of a step counts.
  public synchronized void deliver(EffectId step, StepEnding outcome) {
    delivered.putIfAbsent(step, outcome);
    wake();
  }

  /// Whatever the run relies on must reach the shard first.
  private void send(ScriptMessage message) {
    reports.sendAll();
    plan.port().send(this, message);
  }

  /// Performs a step, or returns what is recorded of it. Throws [StepFailedException] if it failed
  /// for good.
  public Context step(ScriptStep step) {
    Strand strand = strand();
    String label = strand.next(step.name());
    EffectId id = StepId.of(plan.call().id(), label);
    StepEnding outcome = recorded(strand, label, step);
    if (outcome == null) {
      requireFrontier(strand, label);
      outcome = performed(strand, id, label, step);
    }
    return switch (outcome) {
      case StepEnding.Ok(var result) -> result;
      case StepEnding.Failed(var reason, var detail) ->
          throw new StepFailedException(label, reason, detail);
      case StepEnding.Cancelled() -> throw left(strand, label + " was cancelled");
    };
  }

  /// The outcome that the log has of a step; null when it is open or new.
  private synchronized @Nullable StepEnding recorded(Strand strand, String label, ScriptStep step) {
    throwIfLeft();
    note(label);
    RecordedSteps.Entry next = log.next(strand.path);
    if (next == null) {
      return null;
    }
    if (!next.label().equals(label)) {
      throw diverged("it asks for step " + label + ", recorded is " + next.label());
    }
    if (!next.spec().equals(Receipt.hash(step.type(), step.with()))) {
      throw diverged("step " + label + " was recorded with another result type or payload");
    }
    log.take(strand.path);
    if (step.undo() != null && next.outcome() instanceof StepEnding.Ok(var result)) {
      undos.add(new RecordedUndo(label, step, result, next.number()));
    }
    return next.outcome();
  }

  private void note(String label) {
    int most = plan.function().stepsMax();
    if (asked.size() >= most) {
      throw new StepFailedException(
          label,
          Failure.LIMIT,
          "a script has at most %d steps, because each resumption repeats them; use %s"
              .formatted(most, "a loop or a child case, or raise the limit of the script"));
    }
    asked.add(label);
  }

  /// The first divergence counts, also if the code of the script catches it.
  synchronized ScriptDivergedException diverged(String what) {
    String script = "script %s of case %s: ".formatted(plan.call().task(), plan.call().caseId());
    ScriptDivergedException found =
        diverged == null
            ? new ScriptDivergedException(script + what, asked, log.labels())
            : diverged;
    diverged = found;
    return found;
  }

  /// Nothing that was recorded of a strand may be missing when it asks for something new.
  private synchronized void requireFrontier(Strand strand, String label) {
    String missing = log.left(strand.path);
    if (missing != null) {
      throw diverged("it asks for step " + label + ", recorded is " + missing);
    }
    if (isCollecting || strand.isClosed) {
      throw left(strand, "the recorded steps end before " + label);
    }
  }

  private synchronized void requireNothingLeft(String strand) {
    String missing = log.left(strand);
    if (missing != null && left == null) {
      throw diverged("it ends without step " + missing + ", which is recorded");
    }
  }

  private StepEnding performed(Strand strand, EffectId id, String label, ScriptStep step) {
    send(new ScriptMessage.Ask(id, label, step, takeMarks()));
    StepEnding ending = plan.port().mayBlock() ? awaited(id) : outcome(id);
    if (ending == null) {
      throw left(strand, label + " has no result yet");
    }
    return ending;
  }

  /// Ends a strand; the run ends with the strand of the script itself.
  private ScriptUnwound left(Strand strand, String why) {
    if (strand.path.equals(plan.call().task())) {
      return unwind(why);
    }
    ScriptUnwound unwound = new ScriptUnwound(why);
    strand.left = unwound;
    return unwound;
  }

  /// Returns how a step has ended, as far as the run was told; null if it was not.
  public synchronized @Nullable StepEnding outcome(EffectId step) {
    return delivered.get(step);
  }

  private StepEnding awaited(EffectId id) {
    long patience =
        TimeUnit.MILLISECONDS.toNanos(Math.max(1, plan.function().patience().toMillis()));
    while (true) {
      throwIfLeft();
      StepEnding outcome = outcome(id);
      if (outcome != null) {
        return outcome;
      }
      if (Thread.interrupted()) {
        throw unwind("the script was interrupted");
      }
      if (!isPatient) {
        LockSupport.park(this);
        continue;
      }
      long begun = System.nanoTime();
      LockSupport.parkNanos(this, patience);
      if (System.nanoTime() - begun >= patience && outcome(id) == null) {
        throwIfLeft();
        send(new ScriptMessage.Leave());
      }
    }
  }

  /// Wakes the strands that wait. They are not in `Object.wait`, which wakes virtual threads late.
  private void wake() {
    strands.keySet().forEach(LockSupport::unpark);
  }

  private synchronized List<Receipt.Body> takeMarks() {
    List<Receipt.Body> taken = List.copyOf(marks);
    marks.clear();
    return taken;
  }

  private void flush() {
    List<Receipt.Body> rest = takeMarks();
    if (!rest.isEmpty() && !isCollecting) {
      send(new ScriptMessage.Note(rest, ""));
    }
  }

  /// The time of the engine's clock, recorded.
  public long now() {
    return (Long) mark(NOW, () -> plan.port().millis());
  }

  /// A random number from 0 to 1, recorded.
  public double random() {
    return (Double) mark(RANDOM, () -> ThreadLocalRandom.current().nextDouble());
  }

  /// A random UUID, recorded.
  public UUID uuid() {
    return UUID.fromString((String) mark(ID, () -> UUID.randomUUID().toString()));
  }

  /// The version that a run of this execution recorded first; `current` for one that has not come
  /// this far, and 0 for one that has passed this point without the mark.
  public int version(String name, int current) {
    Strand strand = strand();
    String word = ScriptStep.requireName(VERSION + name);
    String label = strand.next(word);
    synchronized (this) {
      RecordedSteps.Entry next = log.next(strand.path);
      boolean isOther = next != null && !next.label().equals(label);
      if (isOther || (next == null && log.left(strand.path) != null)) {
        strand.undoNext(word);
        return 0;
      }
    }
    strand.undoNext(word);
    return ((Long) mark(word, () -> (long) current)).intValue();
  }

  /// A value that is recorded with the next commit and has no intent.
  private synchronized Object mark(String kind, java.util.function.Supplier<Object> maker) {
    Strand strand = strand();
    String label = strand.next(kind);
    throwIfLeft();
    note(label);
    RecordedSteps.Entry next = log.next(strand.path);
    if (next != null) {
      if (!next.label().equals(label) || !(next.outcome() instanceof StepEnding.Ok(var result))) {
        throw diverged("it asks for " + label + ", recorded is " + next.label());
      }
      log.take(strand.path);
      return Objects.requireNonNull(result.get(ScriptStep.VALUE));
    }
    requireFrontier(strand, label);
    Object value = maker.get();
    marks.add(mark(label, kind, value));
    return value;
  }

  private Receipt.Body mark(String label, String type, Object value) {
    EffectId id = StepId.of(plan.call().id(), label);
    Effect effect = new Effect(id, label, 1, type.strip(), "");
    Context result = Context.of(ScriptStep.VALUE, value);
    return new Receipt.Body(effect, plan.port().millis(), new Receipt.Result.Ok(result));
  }

  /// Performs the work of every item, at most a number of them at once, and returns the results in
  /// the order of the list. The first failure cancels the others and is thrown.
  public <T, R extends @Nullable Object> List<R> all(
      List<T> items, int limit, ScriptItems.Work<? super T, ? extends R> work) throws Exception {
    return new ScriptItems<T, R>(this, strand(), items, limit, work).run();
  }

  /// The index of the item whose failure ended an `all`; -1 when none did.
  synchronized int failedItem(Strand strand, String label) {
    throwIfLeft();
    RecordedSteps.Entry next = log.next(strand.path);
    if (next == null
        || !next.label().equals(label)
        || !(next.outcome() instanceof StepEnding.Ok(var result))) {
      return -1;
    }
    log.take(strand.path);
    return ((Long) Objects.requireNonNull(result.get(ScriptStep.VALUE))).intValue();
  }

  /// Records that an item failed and cancels the steps of the others.
  void recordFailed(String label, int index) {
    List<Receipt.Body> all;
    synchronized (this) {
      throwIfLeft();
      marks.add(mark(label, ScriptItems.NAME, (long) index));
      all = takeMarks();
    }
    send(new ScriptMessage.Note(all, ScriptItems.items(label)));
  }

  synchronized boolean hasBegun(String strand) {
    return log.hasBegun(strand);
  }

  /// Runs a part of the script as a strand of the current thread.
  <R extends @Nullable Object> R within(Strand strand, java.util.concurrent.Callable<R> part)
      throws Exception {
    Thread thread = Thread.currentThread();
    Strand before = strands.put(thread, strand);
    try {
      throwIfLeft();
      R result = part.call();
      requireInside(strand); // also if the code caught it
      if (!strand.isClosed) {
        requireNothingLeft(strand.path);
      }
      return result;
    } catch (Exception | Error e) {
      requireInside(strand); // what the code throws afterwards does not count
      throw e;
    } finally {
      if (before == null) {
        strands.remove(thread);
      } else {
        strands.put(thread, before);
      }
    }
  }

  private void requireInside(Strand strand) {
    throwIfLeft();
    if (strand.left != null) {
      throw strand.left;
    }
  }

  /// The strand of the current thread.
  private Strand strand() {
    Strand strand = strands.get(Thread.currentThread());
    if (strand == null || strand.isInStep) {
      throw new IllegalStateException(
          ("script %s: only the thread of the script may use it, not the function of a step, "
                  + "another thread or code after its end")
              .formatted(plan.call().task()));
    }
    requireInside(strand);
    return strand;
  }

  /// Throws [ScriptDivergedException] if a recorded step was not asked for.
  synchronized void requireAllAsked() {
    String missing = log.left(plan.call().task());
    if (missing != null) {
      throw diverged("it ends without step " + missing + ", which is recorded");
    }
  }
}

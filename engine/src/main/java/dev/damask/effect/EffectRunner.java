package dev.damask.effect;

import dev.damask.effect.CallsInFlight.Job;
import dev.damask.nursery.CancelReason;
import dev.damask.nursery.Child;
import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.ChildSnapshot;
import dev.damask.nursery.ErrorPolicy;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.nursery.NurseryResult;
import dev.damask.nursery.RefusalReason;
import dev.damask.nursery.Self;
import dev.damask.nursery.Spawn;
import dev.damask.nursery.ThreadKind;
import dev.damask.task.EffectId;
import dev.damask.task.TaskFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Calls handlers, each on a separate thread in one nursery, with a bound of calls in flight per
/// type. It only performs and reports: attempts, delays and timeouts belong to the machine.
///
/// Two effects with one user's key run once. The first holds the key until its receipt is durable;
/// those that come meanwhile wait without a thread and get its result. If the first fails or is
/// cancelled, the next in line performs the effect itself, with the same key.
public final class EffectRunner implements Effects {
  /// Finds the result of an earlier effect with the type and key of a call, or that it had another
  /// payload; null when there is none.
  @FunctionalInterface
  public interface Finished {
    /// Returns the result of an earlier effect with the type and key of the call; null if there is
    /// none.
    @Nullable EffectResult find(EffectCall call);
  }

  /// How long interrupted handlers have to return when the engine closes.
  private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

  private static final String CANCEL = "cancel ";

  private static final System.Logger LOG = System.getLogger(EffectRunner.class.getName());

  private final Nursery nursery;
  private final CallsInFlight inFlight;
  private final Finished finished;
  private final Sink sink;
  private final Consumer<String> stop;
  private final Carriers carriers;
  private final LongAdder calls = new LongAdder();
  private volatile boolean isClosing; // written by the closer, before the nursery refuses calls

  /// @param limits how many calls of a type may be in flight
  /// @param stop stops the engine, with the reason: a call could not be started
  public EffectRunner(
      Duration grace,
      ToIntFunction<String> limits,
      Finished finished,
      Sink sink,
      Consumer<String> stop) {
    this(NurseryOptions.named("effects").withGrace(grace), limits, finished, sink, stop);
  }

  EffectRunner(
      NurseryOptions options,
      ToIntFunction<String> limits,
      Finished finished,
      Sink sink,
      Consumer<String> stop) {
    this.nursery = Nursery.open(options.withPolicy(ErrorPolicy.SUPERVISE));
    this.inFlight = new CallsInFlight(limits);
    this.carriers = new Carriers(nursery, inFlight, job -> spawn(job, true));
    this.finished = finished;
    this.sink = sink;
    this.stop = stop;
  }

  @Override
  public void start(EffectCall call, EffectHandler handler, boolean userKey) {
    spawn(inFlight.add(new Job(call, handler, userKey)));
  }

  @Override
  public void compute(EffectCall call, TaskFunction function) {
    spawn(inFlight.add(new Job(call, function)));
  }

  /// A script holds no place among the calls of a type: it may wait for them.
  @Override
  public void script(EffectCall call, TaskFunction run) {
    Spawn<@Nullable Void> spawned =
        nursery.<@Nullable Void>trySpawn(
            ChildOptions.named("script"),
            _ -> {
              EffectResult result = CaseScope.in(call, () -> Computation.run(call, run));
              if (!(result instanceof EffectResult.Interrupted)) {
                sink.report(call, result);
              }
              return null;
            });
    if (spawned instanceof Spawn.Refused<@Nullable Void> not && !isClosing) {
      stop.accept("script %s was not started: %s".formatted(call, not.refusal()));
    }
  }

  @Override
  public boolean mayBlock() {
    return true;
  }

  @Override
  public void withdraw(String caseId, EffectId id) {
    CallsInFlight.Withdrawn withdrawn = inFlight.withdraw(caseId, id);
    spawn(withdrawn.next());
    if (withdrawn.begun() != null && withdrawn.child() != null) {
      interrupt(withdrawn.begun(), withdrawn.child());
    }
  }

  private void interrupt(Job job, Child<?> child) {
    if (child.cancel(CancelReason.explicit("the task was cancelled"))) {
      // On a separate thread: the canceller must not wait for the external service.
      // Refused while the engine closes; then the handler is interrupted only.
      var _ =
          nursery.<@Nullable Void>trySpawn(
              ChildOptions.named(CANCEL + job.call),
              _ -> {
                tellCancelled(job);
                return null;
              });
    }
  }

  @Override
  public void settled(String caseId, EffectId id, String type, String key) {
    spawn(inFlight.settle(caseId, id, type, key));
  }

  @Override
  public boolean tryEnter(String type) {
    boolean isEntered = inFlight.tryEnter(type);
    if (isEntered) {
      calls.increment();
    }
    return isEntered;
  }

  @Override
  public void leave(String type) {
    spawn(inFlight.leave(type));
  }

  @Override
  public long calls() {
    return calls.sum();
  }

  @Override
  public int open() {
    return inFlight.size();
  }

  @Override
  public boolean isOpen(String caseId, EffectId id) {
    return inFlight.has(caseId, id);
  }

  @Override
  public List<EffectCall> openCalls() {
    return inFlight.calls();
  }

  @Override
  public List<String> close(Duration grace) {
    isClosing = true;
    inFlight.close();
    try {
      if (nursery.awaitAll(grace) instanceof NurseryResult.Pending) {
        nursery.cancel("the engine closes");
        if (nursery.awaitAll(AFTER_INTERRUPT) instanceof NurseryResult.Pending) {
          return leftBehind(grace);
        }
      }
    } catch (InterruptedException e) {
      nursery.cancel("the engine closes");
      Thread.currentThread().interrupt();
      return leftBehind(Duration.ZERO);
    }
    nursery.close();
    return List.of();
  }

  /// The threads of these calls stay. Nothing that they return is reported, and the nursery is not
  /// waited for.
  private List<String> leftBehind(Duration grace) {
    List<String> names = new ArrayList<>();
    inFlight.running().forEach(call -> names.add(call.toString()));
    for (ChildSnapshot child : nursery.snapshot().children()) {
      if (child.name().startsWith(CANCEL)) {
        names.add(child.name());
      }
    }
    if (!names.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the engine closes; after {0} and an interrupt these handlers have not returned and are "
              + "left behind, their results are dropped: {1}",
          grace,
          names);
    }
    return List.copyOf(names);
  }

  @Override
  public void watch(CountDownLatch closed) throws InterruptedException {
    carriers.watch(closed);
  }

  private void spawn(List<Job> admitted) {
    admitted.forEach(job -> spawn(job, false));
  }

  /// @param isSpare whether this is the second thread of a job whose first is not scheduled
  private void spawn(Job job, boolean isSpare) {
    Spawn<@Nullable Void> spawned =
        nursery.<@Nullable Void>trySpawn(
            options(job),
            self -> {
              perform(job, self, isSpare);
              return null;
            });
    switch (spawned) {
      case Spawn.Spawned<@Nullable Void> started -> {
        if (inFlight.isTooLate(job, started.child(), isSpare)) {
          interrupt(job, started.child());
        }
      }
      case Spawn.Refused<@Nullable Void> not -> refused(job, not.refusal());
    }
  }

  /// While the engine closes, the next engine makes the call: the intent is durable. At any other
  /// time the case would wait forever for a call that is never made.
  private void refused(Job job, RefusalReason reason) {
    if (!isClosing) {
      stop.accept(
          "effect %s of case %s was not started: nursery effects refused the call, %s"
              .formatted(job.call.type(), job.call.caseId(), reason));
    }
  }

  /// What computes for long runs on a platform thread, and so does everything while virtual threads
  /// are not scheduled.
  private ChildOptions options(Job job) {
    ChildOptions named = ChildOptions.named(job.call.type());
    boolean isVirtual = job.function == null && !job.isCpuBound && !carriers.areBusy();
    return isVirtual ? named : named.withThread(ThreadKind.PLATFORM_DAEMON);
  }

  private void perform(Job job, Self self, boolean isSpare) {
    if (!inFlight.begin(job, isSpare)) {
      return;
    }
    EffectResult result =
        CaseScope.in(
            job.call,
            () ->
                job.function == null ? called(job, self) : Computation.run(job.call, job.function));
    if (self.isCancelled()
        && (result instanceof EffectResult.Failed || result instanceof EffectResult.Joined)) {
      drop(result);
      result = new EffectResult.Interrupted(); // whatever it made of the interrupt
    }
    try {
      // Without a receipt of ours that carries the key, the next in its line may try.
      boolean keepsKey = result instanceof EffectResult.Ok || result instanceof EffectResult.Joined;
      CallsInFlight.Ended ended = inFlight.end(job, keepsKey);
      spawn(ended.next());
      if (ended.counts() && !(result instanceof EffectResult.Interrupted)) {
        EffectResult ending = result;
        job.handler.hand(job.call, ending, () -> sink.report(job.call, ending));
      } else {
        drop(result);
      }
    } catch (RuntimeException | Error e) {
      stop(job, e);
      throw e;
    }
  }

  /// The engine's own code has failed: the case would wait forever.
  private void stop(Job job, Throwable why) {
    stop.accept(
        "the result of effect %s of case %s was not reported: %s"
            .formatted(job.call.type(), job.call.caseId(), EffectResult.text(why)));
  }

  /// Undoes what a handler did in a transaction that no case commits.
  private static void drop(EffectResult result) {
    if (result instanceof EffectResult.Joined(_, var transaction)) {
      transaction.rollback();
    }
  }

  private EffectResult called(Job job, Self self) {
    EffectResult result;
    try {
      result = job.userKey ? finished.find(job.call) : null;
      if (result == null) {
        calls.increment();
        EffectFlight flight = new EffectFlight();
        flight.begin();
        EffectCall.Terms terms = job.call.terms();
        EffectCall call = job.call.withTerms(terms.withToken(self.cancelToken()));
        long begun = System.nanoTime();
        result = EffectResult.of(call, job.handler, thrown -> log(job, self, thrown));
        flight.end(job.call, result);
        sink.ended(job.call, System.nanoTime() - begun, result);
      }
    } catch (RuntimeException | Error e) {
      result = new EffectResult.Failed(EffectResult.EXCEPTION, EffectResult.text(e));
    }
    return result;
  }

  /// Reports a failed attempt in one line. An expected failure is information; its stack matters
  /// only if something caused it. A failure after an interrupt is of no interest.
  private static void log(Job job, Self self, Throwable thrown) {
    boolean isExpected = thrown instanceof EffectException;
    System.Logger.Level level =
        self.isCancelled()
            ? System.Logger.Level.DEBUG
            : isExpected ? System.Logger.Level.INFO : System.Logger.Level.WARNING;
    try {
      String reason =
          thrown instanceof EffectException failed ? failed.reason() : EffectResult.EXCEPTION;
      String line =
          "case %s: task %s failed in attempt %d of effect %s: %s: %s"
              .formatted(
                  job.call.caseId(),
                  job.call.task(),
                  job.call.attempt(),
                  job.call.type(),
                  reason,
                  isExpected ? String.valueOf(thrown.getMessage()) : thrown.toString());
      if (isExpected && thrown.getCause() == null) {
        LOG.log(level, line);
      } else {
        LOG.log(level, line, thrown);
      }
    } catch (RuntimeException | Error e) { // the throwable cannot be printed, or memory is short
      LOG.log(
          System.Logger.Level.WARNING,
          "case {0}: task {1} failed and its error cannot be printed",
          job.call.caseId(),
          job.call.task());
    }
  }

  private static void tellCancelled(Job job) {
    try {
      job.handler.cancel(job.call);
    } catch (RuntimeException | Error e) {
      LOG.log(System.Logger.Level.WARNING, "cancelling " + job.call + " failed", e);
    }
  }
}

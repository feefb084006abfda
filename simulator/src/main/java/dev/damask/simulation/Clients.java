package dev.damask.simulation;

import dev.damask.caller.MigrationResult;
import dev.damask.cases.ManualEngine;
import dev.damask.effect.EffectIntent;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.event.TokenId;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.StoreException;
import dev.damask.task.EffectId;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Callers that do not give up: each repeats what was not answered, with the same id.
final class Clients {
  private static final long PATIENCE = 3_000;
  private static final int TRIES_MAX = 20;
  private static final String CHANGE = "change";

  private final Simulation simulation;
  private final List<Request> starts = new ArrayList<>();
  private int requests;

  Clients(Simulation simulation) {
    this.simulation = simulation;
  }

  /// What one caller wants, until it has heard that it is done.
  private final class Request {
    final String caseId;
    final String what;

    /// Null while there is nothing to ask for.
    final Function<ManualEngine, @Nullable CompletableFuture<?>> send;

    final Consumer<Object> acknowledged;
    int asked;
    int tries;
    int unanswered;
    int life; // of the engine that was asked last
    boolean isDone;
    boolean goesOn; // whether there is more to ask for after an answer

    Request(
        String caseId,
        String what,
        Function<ManualEngine, @Nullable CompletableFuture<?>> send,
        Consumer<Object> acknowledged) {
      this.caseId = caseId;
      this.what = what + " " + caseId;
      this.send = send;
      this.acknowledged = acknowledged;
    }

    void ask() {
      if (isDone || simulation.removed().contains(caseId)) {
        return;
      }
      ManualEngine engine = simulation.engine();
      if (engine == null) {
        again(500);
        return;
      }
      try {
        CompletableFuture<?> answer = send.apply(engine);
        if (engine.callerTurns() > 0) {
          simulation.count(CoveragePoint.CASE_MOVED_BY_ITS_CALLER);
        }
        if (engine.thaws() > 0) {
          simulation.count(CoveragePoint.CASE_THAWED);
        }
        if (answer == null) {
          if (++tries < TRIES_MAX || isNeeded()) {
            again(700L << Math.min(tries / 8, 12));
          }
          return;
        }
        if (asked++ > 0) {
          simulation.count(CoveragePoint.SIGNAL_REPEATED);
        }
        unanswered = life == simulation.life() ? unanswered + 1 : 1;
        life = simulation.life();
        var _ = answer.whenComplete(this::answered);
        again(PATIENCE);
      } catch (IllegalStateException e) {
        again(200); // busy, or the disk is full
      } catch (ProcessDeath | StoreException e) { // on the thread of this caller
        again(PATIENCE);
        throw e;
      }
    }

    /// Whether the case waits for it until it ends.
    private boolean isNeeded() {
      boolean hasEnded =
          simulation.disk.record(caseId).filter(each -> each.status().isEnded()).isPresent();
      boolean isAwaited =
          what.startsWith(Act.Decide.class.getSimpleName()) || what.startsWith(CHANGE);
      return !hasEnded && isAwaited;
    }

    private void answered(Object value, @Nullable Throwable thrown) {
      unanswered--;
      if (thrown != null) {
        refused(thrown);
        return;
      }
      try {
        acknowledged.accept(value);
      } catch (InvariantViolation found) {
        simulation.violated(found); // a future swallows what its listeners throw
      }
      isDone = !goesOn && !Faults.happens(simulation.chance(), simulation.faults().lostAnswer());
    }

    /// There is no such case yet, its move broke, it was quarantined, or the engine is closed.
    private void refused(Throwable thrown) {
      if (!(thrown instanceof IllegalStateException) || thrown.getCause() instanceof BrokenMove) {
        return;
      }
      CaseRecord record = simulation.disk.record(caseId).orElse(null);
      boolean isReleased =
          record != null
              && record.status() == CaseStatus.QUARANTINED
              && !Job.isPoison(record.workflow());
      isDone = !isReleased;
      if (thrown.getCause() != null) {
        simulation.violated(
            new InvariantViolation("I16", String.valueOf(thrown.getMessage()), thrown));
      }
    }

    private void again(long millis) {
      simulation.later(millis, 0, what, this::ask);
    }
  }

  /// Plans everything that external callers do to a case.
  void plan(Job job) {
    String caseId = job.caseId();
    Request start =
        new Request(
            caseId,
            "start",
            engine -> engine.start(job.workflow(), caseId, Context.empty(), job.options()),
            _ -> simulation.invariants.acknowledged(caseId));
    starts.add(start);
    simulation.later(0, 0, start.what, start::ask);
    for (Job.Event event : job.outside()) {
      Request request =
          switch (event.act()) {
            case Act.Feed(var input) -> feed(caseId, input);
            case Act.Migrate(var target) -> migrate(caseId, target);
            case Act.Pause() -> pause(caseId);
            case Act.Change change -> change(caseId, change);
            case Act.Repeat(var schedule, var workflow) ->
                new Request(
                    caseId,
                    "schedule",
                    engine ->
                        engine.schedules().putAsync(caseId, schedule, workflow, Context.empty()),
                    _ -> {});
            case Act.OnTask act -> onTask(caseId, act);
          };
      simulation.later(event.afterMillis(), 0, request.what, request::ask);
    }
  }

  /// Whether no case will be started any more. A start that comes after the case was removed makes
  /// a new one, which is right and ends no run.
  boolean haveStarted() {
    return starts.stream()
        .allMatch(
            start -> start.isDone && (start.unanswered == 0 || start.life != simulation.life()));
  }

  /// Releases a quarantined case.
  void retry(String caseId) {
    Request request =
        new Request(
            caseId,
            "retry",
            engine -> engine.retry(caseId),
            released -> {
              if (released == Reply.ACCEPTED) {
                simulation.count(CoveragePoint.QUARANTINED_CASE_RETRIED);
              }
            });
    simulation.later(simulation.below(5_000), 0, request.what, request::ask);
  }

  private Request feed(String caseId, Input input) {
    String id = "m" + ++requests;
    AtomicReference<@Nullable Request> own = new AtomicReference<>();
    Request request =
        new Request(
            caseId,
            name(input),
            engine -> {
              simulation.invariants.asked(caseId, id);
              return engine.feed(caseId, input, id);
            },
            reply -> {
              boolean isStored = reply == Reply.STORED; // it asks until the input was applied
              Objects.requireNonNull(own.get()).goesOn = isStored;
              if (isStored) {
                simulation.count(CoveragePoint.INPUT_STORED);
              } else {
                simulation.invariants.acknowledged(caseId, id);
                simulation.invariants.acknowledged(caseId, input);
              }
            });
    own.set(request);
    return request;
  }

  /// A repeated pause is always before the resume, because a resume is sent after the answer.
  private Request pause(String caseId) {
    AtomicReference<@Nullable Reply> paused = new AtomicReference<>();
    AtomicReference<@Nullable Request> own = new AtomicReference<>();
    Request request =
        new Request(
            caseId,
            "pause",
            engine -> {
              if (paused.get() == null) {
                return engine.pause(caseId, "probe");
              }
              simulation.invariants.resuming(caseId);
              return engine.resume(caseId).thenApply(List::of);
            },
            answer -> {
              boolean isPause = answer instanceof Reply;
              Objects.requireNonNull(own.get()).goesOn = isPause;
              if (isPause && paused.compareAndSet(null, (Reply) answer)) {
                simulation.invariants.paused(caseId);
              }
            });
    own.set(request);
    request.goesOn = true;
    return request;
  }

  private Request change(String caseId, Act.Change change) {
    String id = "m" + ++requests;
    Request signal = feed(caseId, new Input.Signal(change.place(), Context.empty()));
    AtomicReference<@Nullable TokenId> token = new AtomicReference<>();
    AtomicReference<@Nullable Request> own = new AtomicReference<>();
    Request request =
        new Request(
            caseId,
            CHANGE,
            engine -> {
              TokenId known = token.get() == null ? waitingToken(caseId) : token.get();
              token.set(known);
              return known == null
                  ? null
                  : engine.feed(caseId, new Input.ChangeData(known, change.values(), "probe"), id);
            },
            answer -> {
              boolean isFirst = Objects.requireNonNull(own.get()).asked == 1;
              Invariants.require(answer == Reply.ACCEPTED, caseId + " is not changed: " + answer);
              simulation.count(CoveragePoint.DATA_CHANGED);
              if (isFirst || !signal.isDone) {
                simulation.later(10, 0, signal.what, signal::ask);
              }
            });
    own.set(request);
    return request;
  }

  private Request migrate(String caseId, WorkflowDefinition target) {
    return new Request(
        caseId,
        "migrate",
        engine -> engine.migrate(caseId, target, Mapping.NONE),
        result -> {
          if (result instanceof MigrationResult.Moved) {
            simulation.invariants.migrated(caseId, simulation.program(target).hash());
          }
        });
  }

  /// Chooses the task when it is asked for the first time, and stays with it.
  private Request onTask(String caseId, Act.OnTask act) {
    AtomicReference<@Nullable EffectId> chosen = new AtomicReference<>();
    return new Request(
        caseId,
        act.getClass().getSimpleName(),
        engine -> {
          EffectId known = chosen.get();
          EffectId task = known == null ? waiting(caseId, act.task()) : known;
          chosen.set(task);
          return task == null ? null : send(engine, caseId, act, task);
        },
        reply ->
            simulation.invariants.acknowledged(
                caseId, act, Objects.requireNonNull(chosen.get()), (Reply) reply));
  }

  private static CompletableFuture<Reply> send(
      ManualEngine engine, String caseId, Act.OnTask act, EffectId task) {
    return switch (act) {
      case Act.CancelTask _ -> engine.cancelTask(caseId, task);
      case Act.Complete(_, var result) -> engine.completeTask(caseId, task, result);
      case Act.Fail _ -> engine.failTask(caseId, task, "outside");
      case Act.Decide(_, var isApproved, var by) -> engine.decide(caseId, task, isApproved, by);
    };
  }

  /// The first token of a case that waits on the disk; null if none does.
  private @Nullable TokenId waitingToken(String caseId) {
    CaseRecord record = simulation.disk.record(caseId).orElse(null);
    if (record == null || record.status() != CaseStatus.WAITING) {
      return null;
    }
    return record.decode(simulation.machine(record)).view().tokens().stream()
        .map(token -> new TokenId(token.id()))
        .findFirst()
        .orElse(null);
  }

  private @Nullable EffectId waiting(String caseId, String task) {
    return simulation.disk.intents(caseId).stream()
        .filter(intent -> task.isEmpty() || intent.task().equals(task))
        .map(EffectIntent::id)
        .findFirst()
        .orElse(null);
  }

  private static String name(Input input) {
    return switch (input) {
      case Input.Signal(var place, _) -> "signal " + place;
      case Input.Kill(var scope, _, _) -> "kill " + scope;
      case Input.AddInstance _ -> "add";
      case Input.CloseInstances _ -> "close";
      case Input.ChangeData _ -> "change data";
      case Input.Fail _ -> "fail";
      case Input.Advance _ -> "advance";
      case Input.CancelTask _ -> "cancel task";
      case Input.TaskDone _ -> "done";
      case Input.TaskWants _ -> "wants";
      case Input.TaskFailed _ -> "failed";
      case Input.ScriptStep _ -> "script step";
      case Input.ScriptTake _ -> "script take";
      case Input.TaskParked _ -> "parked";
      case Input.TaskRetried _ -> "retried";
      case Input.TaskSent _ -> "sent";
    };
  }
}

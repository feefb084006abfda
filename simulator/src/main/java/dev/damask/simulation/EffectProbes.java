package dev.damask.simulation;

import static dev.damask.simulation.ProbeParts.completed;
import static dev.damask.simulation.ProbeParts.once;
import static dev.damask.simulation.ProbeParts.probe;
import static dev.damask.simulation.ProbeParts.require;
import static dev.damask.simulation.ProbeParts.retried;
import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.effect.Approval;
import dev.damask.effect.Receipt;
import dev.damask.event.Failure;
import dev.damask.event.Outcome;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.task.Retry;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// Cases whose end is known whatever happens on the way: effects that are undone, sent at most
/// once, decided about, cancelled, or share a key.
final class EffectProbes {
  static final int COUNT = 6;

  /// The type that needs an approval, and who may give it.
  static final String GUARDED = "guarded";

  static final String APPROVER = "alice";

  /// An effect with a user's key; its result tells which effect was performed.
  static final String PAY = "pay";

  private final Choices choices;
  private final Supplier<Simulation> current;

  /// @param current the run that the cases belong to
  EffectProbes(Choices choices, Supplier<Simulation> current) {
    this.choices = choices;
    this.current = current;
  }

  private Simulation run() {
    return current.get();
  }

  Job make(String caseId, int number) {
    return switch (number) {
      case 0 -> undo(caseId);
      case 1 -> atMostOnce(caseId, effect("one").atMostOnce());
      case 2 -> atMostOnceRetried(caseId);
      case 3 -> decision(caseId);
      case 4 -> cancelledTask(caseId);
      default -> userKeys(caseId);
    };
  }

  private static Term.Task undone(String name) {
    return retried(name).undo(retried("undo " + name));
  }

  /// What was done is undone in the reverse order of completion, once each, and the case fails with
  /// its own reason.
  private Job undo(String caseId) {
    WorkflowDefinition flow =
        workflow("undo", undone("one"), par(undone("two"), undone("three")), fail("planned"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, _, world) -> {
          require(record, record.status() == CaseStatus.FAILED, "ended otherwise");
          List<String> expected = new ArrayList<>();
          for (Receipt receipt : run().receipts(caseId)) {
            boolean isDone = receipt.body().result() instanceof Receipt.Result.Ok;
            if (isDone && !receipt.body().task().startsWith("undo")) {
              expected.addFirst("undo " + receipt.body().task());
            }
          }
          List<String> undone =
              world.order(caseId).stream().filter(each -> each.startsWith("undo")).toList();
          require(record, expected.size() == 3, "did " + expected);
          require(record, undone.equals(expected), "undid " + undone + ", not " + expected);
        });
  }

  /// As below, with attempts for what was not sent, and a timeout that leaves the outcome open.
  private Job atMostOnceRetried(String caseId) {
    Retry retry = new Retry(4, Duration.ofMillis(choices.next(2_000)), 1.0, 0.0).onNotSent();
    return atMostOnce(
        caseId, effect("one").atMostOnce().retry(retry).timeout(Duration.ofSeconds(2)));
  }

  /// Happens once or not at all; the world itself watches.
  private Job atMostOnce(String caseId, Term.Task one) {
    WorkflowDefinition flow = workflow("once", one, retried("A"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, _, world) -> {
          int happened = world.applied(record.caseId(), "one");
          boolean isDone = record.status() == CaseStatus.COMPLETED;
          require(record, !isDone || happened == 1, "completed, happened " + happened);
          require(record, record.status().isEnded(), "did not end");
        });
  }

  /// Kills the process at each of its moves, until it is quarantined.
  Job poison(String caseId) {
    Term bomb =
        task(
            "bomb",
            _ -> {
              run().processDies();
              throw new AssertionError("the process is gone");
            });
    WorkflowDefinition flow = workflow("poison", defer(after(Duration.ofSeconds(2), bomb)));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, _, _) -> {
          require(record, record.status() == CaseStatus.QUARANTINED, "was not quarantined");
          run().count(CoveragePoint.POISON_CASE_PARKED);
        });
  }

  /// Nothing is sent before the one who may decide has done so, and a rejection is final.
  private Job decision(String caseId) {
    boolean isApproved = choices.oneIn(2);
    Context with = Context.of("approvers", List.of(APPROVER));
    Term.Task ask = effect("ask", _ -> new EffectSpec(Approval.TYPE, with, null), null);
    Term.Task guarded = isApproved ? retried(GUARDED) : effect(GUARDED);
    WorkflowDefinition flow = workflow("decision", ask, guarded, retried("A"));
    List<Job.Event> outside = new ArrayList<>();
    for (String task : List.of("ask", GUARDED)) {
      boolean isYes = isApproved || task.equals("ask");
      outside.add(event(new Act.Decide(task, true, "mallory")));
      Context forged = task.equals("ask") ? Context.of("by", "mallory") : Context.empty();
      outside.add(event(new Act.Complete(task, forged)));
      outside.add(event(new Act.Decide(task, isYes, APPROVER)));
    }
    return probe(
        caseId,
        flow,
        outside,
        (record, result, world) -> {
          int happened = world.applied(caseId, GUARDED);
          // After the approval, another effect with its key may provide its result.
          require(record, happened <= (isApproved ? 1 : 0), "happened " + happened + " times");
          if (isApproved) {
            completed(record);
            require(record, APPROVER.equals(result.get("by")), "decided by " + result);
          } else {
            require(record, Failure.REJECTED.equals(reason(record)), reason(record));
          }
        });
  }

  private Job.Event event(Act act) {
    return new Job.Event(choices.next(12_000), act);
  }

  private String reason(CaseRecord record) {
    Machine machine = run().machine(record);
    ExecState state = record.decode(machine);
    return machine.outcome(state) instanceof Outcome.Failed(var failure)
        ? failure.reason()
        : record.status().name();
  }

  /// One of two tasks is cancelled; the other continues and the case completes.
  private Job cancelledTask(String caseId) {
    WorkflowDefinition flow =
        workflow(
            "cancelled", join(JoinPolicy.partial(1), retried("one"), retried("two")), retried("A"));
    Job.Event cancel = new Job.Event(choices.next(1_000), new Act.CancelTask("one"));
    return probe(
        caseId,
        flow,
        List.of(cancel),
        (record, _, world) -> {
          completed(record);
          once(record, world, "A", 1);
        });
  }

  private static Term.Task pay(String key, long amount) {
    Context with = Context.of("amount", amount);
    return effect(PAY, _ -> new EffectSpec(PAY, with, key), null);
  }

  /// One key and payload are performed once, for two effects of a case and for all cases; the same
  /// key with another payload is a conflict.
  private Job userKeys(String caseId) {
    String own = "own-" + caseId;
    WorkflowDefinition flow =
        workflow(
            "keys",
            par(retried(pay(own, 1)).result("a"), retried(pay(own, 1)).result("b")),
            retried(pay("shared", 5)).result("c"),
            pay(own, 2).result("d"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, _, _) -> {
          List<Object> paid = new ArrayList<>();
          for (Receipt receipt : run().receipts(caseId)) {
            if (receipt.body().key().equals(own)) {
              switch (receipt.body().result()) {
                case Receipt.Result.Ok(var result) -> paid.add(result.get("paid"));
                case Receipt.Result.Duplicate(_, var result) -> paid.add(result.get("paid"));
                default -> {}
              }
            }
          }
          boolean isOne = paid.size() >= 2 && paid.stream().distinct().count() == 1;
          require(record, isOne, "paid " + paid + " under one key");
          require(record, Failure.KEY_CONFLICT.equals(reason(record)), reason(record));
        });
  }
}

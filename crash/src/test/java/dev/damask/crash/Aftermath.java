package dev.damask.crash;

import dev.damask.linear.CallHistory;
import dev.damask.linear.CaseCall;
import dev.damask.linear.CaseModel;
import dev.damask.linear.Linearizability;
import dev.damask.linear.Linearization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/// What must be true after any number of crashes; one sentence for each thing that is not.
final class Aftermath {
  private final List<String> problems = new ArrayList<>();
  private final WorkerProcess worker;
  private final Supplier<Ledger> ledger;

  /// @param ledger what the witness has seen when it is asked
  Aftermath(WorkerProcess worker, Supplier<Ledger> ledger) {
    this.worker = worker;
    this.ledger = ledger;
  }

  /// @param told how cases ended as their clients were told
  List<String> paid(Map<String, String> told) {
    Map<String, String> ends = new TreeMap<>();
    Set<String> called = new TreeSet<>();
    ledger.get().entries().forEach(entry -> called.add(entry.caseId()));
    called.addAll(told.keySet());
    for (String caseId : called) {
      try {
        ends.put(caseId, worker.ask("paying", caseId, "look"));
      } catch (WorkerProcess.Gone e) {
        problems.add(caseId + " was acknowledged or called somebody, and is lost: " + e);
      }
    }
    told.forEach((caseId, end) -> {
      if (!end.equals(Paying.NOT_YET) && !end.equals(ends.get(caseId))) {
        problems.add(caseId + " was told to be " + end + " and is " + ends.get(caseId));
      }
    });
    // Only now has everything come to rest: what was taken up again has called whom it calls.
    Ledger all = ledger.get();
    ends.forEach((caseId, end) -> counts(all, caseId, end));
    problems.addAll(all.problems());
    return problems;
  }

  /// What the witness saw must fit how the case ended.
  private void counts(Ledger all, String caseId, String end) {
    int charged = all.calls(caseId, Paying.CHARGE);
    int shipped = all.calls(caseId, Paying.SHIP);
    int confirmed = all.calls(caseId, Paying.CONFIRM);
    boolean fits =
        switch (end) {
          case Paying.COMPLETED -> charged >= 1 && shipped == 1 && confirmed >= 1;
          case Paying.UNKNOWN -> charged >= 1 && shipped <= 1 && confirmed == 0;
          case Paying.WAITS -> charged >= 1 && shipped == 1 && confirmed == 0;
          default -> false;
        };
    if (!fits) {
      problems.add(
          "%s is %s, and the witness was asked to charge %d, ship %d and confirm %d times"
              .formatted(caseId, end, charged, shipped, confirmed));
    }
  }

  /// Every case that only clients move behaved as if their calls had come one at a time.
  static List<String> asked(Map<String, CallHistory<CaseCall, String>> histories) {
    List<String> problems = new ArrayList<>();
    CaseModel model = new CaseModel();
    histories.forEach((caseId, history) -> {
      var verdict = Linearizability.check(model, history.operations());
      if (!(verdict instanceof Linearization.Linearizable)) {
        problems.add(caseId + ": " + verdict);
      }
    });
    return problems;
  }

  /// What the store says about itself.
  static List<String> verified(WorkerProcess worker) {
    String said = worker.ask("verify", "all", "");
    return said.equals(Worker.VERIFIED + " []") ? List.of() : List.of(said);
  }
}

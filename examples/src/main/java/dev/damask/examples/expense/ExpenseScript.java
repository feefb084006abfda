package dev.damask.examples.expense;

import static dev.damask.typed.Steps.exponential;
import static dev.damask.typed.Steps.script;
import static dev.damask.typed.Steps.workflow;

import dev.damask.effect.EffectException;
import dev.damask.examples.expense.Office.Decision;
import dev.damask.examples.expense.Office.Entry;
import dev.damask.examples.expense.Office.Payment;
import dev.damask.examples.expense.Office.Verdict;
import dev.damask.term.Workflow;
import dev.damask.typed.Script;
import dev.damask.typed.StepOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// The expense service as a script: the same steps as [ExpenseWorkflow], in plain Java.
///
/// Each call of `script` is recorded. After a crash, and after a wait of days, the code runs again
/// from its beginning and gets the recorded results; no completed step is performed twice.
final class ExpenseScript {
  private final Office office;

  private ExpenseScript(Office office) {
    this.office = office;
  }

  /// The first version.
  static Workflow<Expense, Entry> first(Office office) {
    ExpenseScript service = new ExpenseScript(office);
    return workflow(
            "expense script",
            ExpenseWorkflow.EXPENSE,
            ExpenseWorkflow.ENTRY,
            script("handle", ExpenseWorkflow.EXPENSE, service::handle).as(ExpenseWorkflow.ENTRY))
        .attribute("employee", ExpenseWorkflow.EXPENSE, Expense::employee);
  }

  /// The second version also notifies the employee. It is the same program with other code, so
  /// waiting cases need no migration: they run the new code when they continue. The new step stands
  /// after the wait. Before it, the step would need [Script#version].
  static Workflow<Expense, Entry> second(Office office) {
    ExpenseScript service = new ExpenseScript(office);
    return workflow(
            "expense script",
            ExpenseWorkflow.EXPENSE,
            ExpenseWorkflow.ENTRY,
            script("handle", ExpenseWorkflow.EXPENSE, service::handleAndTell)
                .as(ExpenseWorkflow.ENTRY))
        .attribute("employee", ExpenseWorkflow.EXPENSE, Expense::employee);
  }

  private Entry handleAndTell(Expense expense, Script script) throws Exception {
    Entry entry = handle(expense, script);
    script.run("tell", _ -> office.tell(expense, entry));
    return entry;
  }

  private Entry handle(Expense expense, Script script) throws Exception {
    List<Function<Expense, Verdict>> checks = List.of(office::checkRules, office::checkBudget);
    List<Verdict> verdicts =
        script.all(
            checks, 2, check -> script.call("check", Verdict.class, _ -> check.apply(expense)));
    for (Verdict verdict : verdicts) {
      if (!verdict.isFine()) {
        throw new EffectException("refused", verdict.reason());
      }
    }

    Decision decision = decision(expense, script);
    if (!decision.isApproved()) {
      throw new EffectException("rejected", "by " + decision.by());
    }

    Payment payment =
        script.call(
            "pay",
            Payment.class,
            StepOptions.<Payment>standard()
                .retry(exponential(5))
                .undo((paid, _) -> office.reclaim(paid)),
            call -> office.pay(expense, call.key()));
    return script.call(
        "book",
        Entry.class,
        StepOptions.<Entry>standard().retry(exponential(5)),
        _ -> office.book(expense, payment));
  }

  private Decision decision(Expense expense, Script script) {
    script.run("ask", _ -> office.ask(expense));
    Optional<Decision> decision = script.await(ExpenseWorkflow.DECIDED, Duration.ofDays(1));
    if (decision.isPresent()) {
      return decision.get();
    }
    script.run("remind", _ -> office.remind(expense));
    decision = script.await(ExpenseWorkflow.DECIDED, Duration.ofDays(2));
    if (decision.isPresent()) {
      return decision.get();
    }
    script.run("escalate", _ -> office.escalate(expense));
    return script.await(ExpenseWorkflow.DECIDED);
  }
}

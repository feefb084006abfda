package dev.damask.examples.expense;

import static dev.damask.typed.Steps.action;
import static dev.damask.typed.Steps.after;
import static dev.damask.typed.Steps.defer;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.exponential;
import static dev.damask.typed.Steps.fail;
import static dev.damask.typed.Steps.on;
import static dev.damask.typed.Steps.otherwise;
import static dev.damask.typed.Steps.par;
import static dev.damask.typed.Steps.seq;
import static dev.damask.typed.Steps.when;
import static dev.damask.typed.Steps.workflow;
import static dev.damask.typed.Steps.xor;

import dev.damask.examples.expense.Office.Decision;
import dev.damask.examples.expense.Office.Entry;
import dev.damask.examples.expense.Office.Payment;
import dev.damask.examples.expense.Office.Verdict;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.typed.Step;
import dev.damask.value.Key;
import java.time.Duration;

/// The expense service as terms: an expense is checked, decided by a manager and paid.
///
/// The manager is reminded after one day; after three days the manager's manager is asked. A
/// payment that cannot be booked is undone. [ExpenseScript] is the same service as a script.
final class ExpenseWorkflow {
  static final Key<Expense> EXPENSE = Key.of(Expense.class);
  static final Key<Verdict> RULES = Key.of("rules", Verdict.class);
  static final Key<Verdict> BUDGET = Key.of("budget", Verdict.class);
  static final Key<Payment> PAYMENT = Key.of(Payment.class);
  static final Key<Entry> ENTRY = Key.of(Entry.class);
  static final Signal<Decision> DECIDED = Signal.of("decided", Decision.class);

  private ExpenseWorkflow() {}

  /// The first version.
  static Workflow<Expense, Entry> first(Office office) {
    return workflow("expense", EXPENSE, ENTRY, checks(office), decision(office), payment(office))
        .attribute("employee", EXPENSE, Expense::employee);
  }

  /// The second version also notifies the employee.
  static Workflow<Expense, Entry> second(Office office) {
    return workflow(
            "expense",
            EXPENSE,
            ENTRY,
            checks(office),
            decision(office),
            payment(office),
            action("tell", EXPENSE, ENTRY, office::tell))
        .attribute("employee", EXPENSE, Expense::employee);
  }

  private static Step checks(Office office) {
    return seq(
        par(
            effect("checkRules", EXPENSE, office::checkRules).as(RULES),
            effect("checkBudget", EXPENSE, office::checkBudget).as(BUDGET)),
        xor(
            when("refused", RULES, BUDGET, (a, b) -> !a.isFine() || !b.isFine(), fail("refused")),
            otherwise()));
  }

  private static Step decision(Office office) {
    return seq(
        action("ask", EXPENSE, office::ask),
        defer(
            on(DECIDED),
            after(
                Duration.ofDays(1),
                action("remind", EXPENSE, office::remind),
                defer(
                    on(DECIDED),
                    after(
                        Duration.ofDays(2),
                        action("escalate", EXPENSE, office::escalate),
                        defer(on(DECIDED)))))),
        xor(
            when("rejected", DECIDED.payload(), each -> !each.isApproved(), fail("rejected")),
            otherwise()));
  }

  private static Step payment(Office office) {
    return seq(
        effect("pay", EXPENSE, (expense, call) -> office.pay(expense, call.key()))
            .as(PAYMENT)
            .undo(PAYMENT, office::reclaim)
            .retry(exponential(5)),
        effect("book", EXPENSE, PAYMENT, office::book).as(ENTRY).retry(exponential(5)));
  }
}

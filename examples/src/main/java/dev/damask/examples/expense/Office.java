package dev.damask.examples.expense;

import java.math.BigDecimal;

/// Everything outside of the workflow: the rules, the people, the bank. A payment carries a key, so
/// that a repeated call pays once.
interface Office {
  /// Whether the rules allow the expense.
  Verdict checkRules(Expense expense);

  /// Whether the budget has room for the expense.
  Verdict checkBudget(Expense expense);

  /// Asks the manager to decide.
  void ask(Expense expense);

  /// Reminds the manager.
  void remind(Expense expense);

  /// Asks the manager of the manager.
  void escalate(Expense expense);

  /// Pays the employee.
  Payment pay(Expense expense, String key);

  /// Takes a payment back.
  void reclaim(Payment payment);

  /// Enters a payment in the books.
  Entry book(Expense expense, Payment payment);

  /// Tells the employee; new in version 2.
  void tell(Expense expense, Entry entry);

  /// The result of a check.
  record Verdict(boolean isFine, String reason) {}

  /// What a manager decided.
  record Decision(boolean isApproved, String by) {}

  /// Money that was paid.
  record Payment(String id, BigDecimal amount) {}

  /// A line in the books.
  record Entry(String number) {}
}

package dev.damask.examples.expense;

import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;

/// An office in memory that counts what it did. Asked twice to pay under one key, it pays once.
final class PaperOffice implements Office {
  private static final BigDecimal HIGHEST = new BigDecimal("5000");

  private final Map<String, Payment> payments = new TreeMap<>();
  private final Map<String, Integer> counts = new TreeMap<>();

  private synchronized void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /// Returns how often each thing was done.
  synchronized Map<String, Integer> counts() {
    return new TreeMap<>(counts);
  }

  @Override
  public Verdict checkRules(Expense expense) {
    boolean isFine = !expense.purpose().isBlank();
    return new Verdict(isFine, isFine ? "" : "no purpose");
  }

  @Override
  public Verdict checkBudget(Expense expense) {
    boolean isFine = expense.amount().compareTo(HIGHEST) <= 0;
    return new Verdict(isFine, isFine ? "" : "more than " + HIGHEST);
  }

  @Override
  public void ask(Expense expense) {
    count("asked");
  }

  @Override
  public void remind(Expense expense) {
    count("reminded");
  }

  @Override
  public void escalate(Expense expense) {
    count("escalated");
  }

  @Override
  public synchronized Payment pay(Expense expense, String key) {
    return payments.computeIfAbsent(
        key,
        _ -> {
          count("paid");
          return new Payment("payment-" + (payments.size() + 1), expense.amount());
        });
  }

  @Override
  public void reclaim(Payment payment) {
    count("reclaimed");
  }

  @Override
  public Entry book(Expense expense, Payment payment) {
    if (expense.purpose().contains("unbookable")) {
      throw new IllegalStateException("the books are closed");
    }
    count("booked");
    return new Entry("entry of " + payment.amount());
  }

  @Override
  public void tell(Expense expense, Entry entry) {
    count("told");
  }
}

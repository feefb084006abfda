package dev.damask.examples.expense;

import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.examples.expense.Office.Decision;
import dev.damask.examples.expense.Office.Entry;
import dev.damask.ops.MigrationPlan;
import dev.damask.term.Workflow;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The expense service, as terms and as a script: two expenses in the first version, then the
/// second version is deployed while a hundred cases wait for a decision.
///
/// ```
/// ExpenseExample DIR
/// ```
public final class ExpenseExample {
  private static final int WAITING = 100;

  private ExpenseExample() {}

  public static void main(String[] arguments) throws InterruptedException {
    run(Path.of(arguments[0]), System.out);
  }

  static void run(Path directory, PrintStream out) throws InterruptedException {
    out.println("as terms");
    terms(directory.resolve("terms"), out);
    out.println("as a script");
    script(directory.resolve("script"), out);
  }

  private static void terms(Path directory, PrintStream out) throws InterruptedException {
    PaperOffice office = new PaperOffice();
    Workflow<Expense, Entry> first = ExpenseWorkflow.first(office);
    try (var engine = Engine.open(directory, first)) {
      firstVersion(engine, first, out);
    }

    Workflow<Expense, Entry> second = ExpenseWorkflow.second(office);
    try (var engine = Engine.open(directory, first, second)) {
      MigrationPlan plan = engine.migrations().plan(first, second);
      out.println("dry run: " + plan.dryRun());
      out.println("migrated: " + plan.run(25));
      approveAll(engine, second, out);
    }
    out.println(office.counts());
  }

  private static void script(Path directory, PrintStream out) throws InterruptedException {
    PaperOffice office = new PaperOffice();
    Workflow<Expense, Entry> first = ExpenseScript.first(office);
    try (var engine = Engine.open(directory, first)) {
      firstVersion(engine, first, out);
    }

    Workflow<Expense, Entry> second = ExpenseScript.second(office);
    try (var engine = Engine.open(directory, second)) {
      approveAll(engine, second, out);
    }
    out.println(office.counts());
  }

  private static void firstVersion(Engine engine, Workflow<Expense, Entry> expense, PrintStream out)
      throws InterruptedException {
    Run<Entry> ticket = engine.start(expense, "expense-0", expense("a ticket", "49.90"));
    ticket.signal(ExpenseWorkflow.DECIDED, new Decision(true, "eve"), "decision");
    out.println("expense-0 " + ticket.await());
    out.println("expense-x " + engine.start(expense, "expense-x", expense("", "1.00")).await());
    for (int i = 1; i <= WAITING; i++) {
      engine.start(expense, "expense-" + i, expense("a meal", i + ".00"));
    }
  }

  private static void approveAll(Engine engine, Workflow<Expense, Entry> expense, PrintStream out) {
    List<Run<Entry>> runs = new ArrayList<>();
    for (int i = 1; i <= WAITING; i++) {
      Run<Entry> run = engine.run(expense, "expense-" + i);
      run.signal(ExpenseWorkflow.DECIDED, new Decision(true, "eve"), "decision");
      runs.add(run);
    }
    runs.forEach(Run::join);
    out.println("paid: " + runs.size());
  }

  private static Expense expense(String purpose, String amount) {
    return new Expense("ada", purpose, new BigDecimal(amount));
  }
}

package dev.damask.examples.expense;

import dev.damask.caller.MigrationResult;
import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.event.Mapping;
import dev.damask.examples.expense.Office.Decision;
import dev.damask.examples.expense.Office.Entry;
import dev.damask.term.Workflow;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Expenses in their first version, and the second version deployed while a hundred of them wait.
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
    PaperOffice office = new PaperOffice();
    Workflow<Expense, Entry> first = ExpenseWorkflow.first(office);
    try (var engine = Engine.open(directory, first)) {
      Run<Entry> run = engine.start(first, "expense-0", expense("a ticket", "49.90"));
      run.signal(ExpenseWorkflow.DECIDED, new Decision(true, "eve"), "decision");
      out.println("expense-0 " + run.await());
      out.println("expense-x " + engine.start(first, "expense-x", expense("", "1.00")).await());
      for (int i = 1; i <= WAITING; i++) {
        engine.start(first, "expense-" + i, expense("a meal", i + ".00"));
      }
    }

    Workflow<Expense, Entry> second = ExpenseWorkflow.second(office);
    try (var engine = Engine.open(directory, first, second)) {
      List<Run<Entry>> runs = new ArrayList<>();
      int moved = 0;
      for (int i = 1; i <= WAITING; i++) {
        String id = "expense-" + i;
        MigrationResult result = engine.migrate(id, second, Mapping.NONE);
        moved += result instanceof MigrationResult.Moved ? 1 : 0;
        runs.add(engine.run(second, id));
      }
      out.println("moved to version 2: " + moved);
      for (Run<Entry> run : runs) {
        run.signal(ExpenseWorkflow.DECIDED, new Decision(true, "eve"), "decision");
      }
      for (Run<Entry> run : runs) {
        run.join();
      }
    }
    out.println(office.counts());
  }

  private static Expense expense(String purpose, String amount) {
    return new Expense("ada", purpose, new BigDecimal(amount));
  }
}

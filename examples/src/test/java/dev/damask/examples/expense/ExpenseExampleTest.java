package dev.damask.examples.expense;

import static dev.damask.testkit.CaseAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.examples.Expected;
import dev.damask.examples.expense.Office.Decision;
import dev.damask.examples.expense.Office.Entry;
import dev.damask.term.Workflow;
import dev.damask.testkit.TestCase;
import dev.damask.testkit.TestEngine;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class ExpenseExampleTest {
  @TempDir Path directory;

  private final PaperOffice office = new PaperOffice();
  private final TestEngine engine = TestEngine.open();

  private TestCase start(String purpose) {
    Workflow<Expense, Entry> expense = ExpenseWorkflow.first(office);
    return engine.start(expense, "one", new Expense("ada", purpose, new BigDecimal("20.00")));
  }

  @Test
  void a_hundred_expenses_move_to_the_second_version_and_their_employees_are_told()
      throws Exception {
    Expected.compare("expense.txt", out -> ExpenseExample.run(directory, out));
  }

  @Test
  void a_manager_is_reminded_after_a_day_and_replaced_after_three() {
    TestCase one = start("a meal");

    engine.advance(Duration.ofHours(23));
    assertThat(office.counts()).isEqualTo(Map.of("asked", 1));
    engine.advance(Duration.ofHours(1));
    assertThat(office.counts()).isEqualTo(Map.of("asked", 1, "reminded", 1));
    engine.advance(Duration.ofDays(2));
    assertThat(office.counts()).isEqualTo(Map.of("asked", 1, "reminded", 1, "escalated", 1));

    one.signal(ExpenseWorkflow.DECIDED, new Decision(true, "eve"));
    assertThat(one).hasCompleted();
  }

  @Test
  void a_rejected_expense_is_not_paid() {
    TestCase one = start("a yacht");
    one.signal(ExpenseWorkflow.DECIDED, new Decision(false, "eve"));

    assertThat(one).hasFailed("rejected");
    assertThat(office.counts()).doesNotContainKey("paid");
  }

  @Test
  void a_payment_that_cannot_be_booked_is_taken_back() {
    TestCase one = start("unbookable");
    one.signal(ExpenseWorkflow.DECIDED, new Decision(true, "eve"));

    engine.advance(Duration.ofDays(1));

    assertThat(one).hasFailed("exception");
    assertThat(office.counts()).containsEntry("paid", 1).containsEntry("reclaimed", 1);
  }
}

package dev.damask.examples.expense;

import static dev.damask.testkit.CaseAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.examples.Expected;
import dev.damask.examples.expense.Office.Decision;
import dev.damask.examples.expense.Office.Entry;
import dev.damask.term.Workflow;
import dev.damask.testkit.CrashTest;
import dev.damask.testkit.TestCase;
import dev.damask.testkit.TestEngine;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The expense service does the same as terms and as a script.
@Timeout(120)
final class ExpenseExampleTest {
  /// How the service is written.
  enum Form {
    TERMS,
    SCRIPT;

    Workflow<Expense, Entry> first(Office office) {
      return switch (this) {
        case TERMS -> ExpenseWorkflow.first(office);
        case SCRIPT -> ExpenseScript.first(office);
      };
    }
  }

  @TempDir Path directory;

  private final PaperOffice office = new PaperOffice();
  private final TestEngine engine = TestEngine.open();

  private TestCase start(Form form, String purpose) {
    return engine.start(form.first(office), "one", expense(purpose));
  }

  private static Expense expense(String purpose) {
    return new Expense("ada", purpose, new BigDecimal("20.00"));
  }

  @Test
  void a_hundred_waiting_expenses_end_in_the_second_version() throws Exception {
    Expected.compare("expense.txt", out -> ExpenseExample.run(directory, out));
  }

  @ParameterizedTest
  @EnumSource
  void a_manager_is_reminded_after_a_day_and_replaced_after_three(Form form) {
    TestCase one = start(form, "a meal");

    engine.advance(Duration.ofHours(23));
    assertThat(office.counts()).isEqualTo(Map.of("asked", 1));
    engine.advance(Duration.ofHours(1));
    assertThat(office.counts()).isEqualTo(Map.of("asked", 1, "reminded", 1));
    engine.advance(Duration.ofDays(2));
    assertThat(office.counts()).isEqualTo(Map.of("asked", 1, "reminded", 1, "escalated", 1));

    one.signal(ExpenseWorkflow.DECIDED, new Decision(true, "eve"));
    assertThat(one).hasCompleted();
  }

  @ParameterizedTest
  @EnumSource
  void an_expense_without_a_purpose_is_refused_before_an_approver_is_asked(Form form) {
    assertThat(start(form, "")).hasFailed("refused");
    assertThat(office.counts()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void a_rejected_expense_is_not_paid(Form form) {
    TestCase one = start(form, "a yacht");
    one.signal(ExpenseWorkflow.DECIDED, new Decision(false, "eve"));

    assertThat(one).hasFailed("rejected");
    assertThat(office.counts()).doesNotContainKey("paid");
  }

  @ParameterizedTest
  @EnumSource
  void a_payment_that_cannot_be_booked_is_taken_back(Form form) {
    TestCase one = start(form, "unbookable");
    one.signal(ExpenseWorkflow.DECIDED, new Decision(true, "eve"));

    engine.advance(Duration.ofDays(1));

    assertThat(one).hasFailed("exception");
    assertThat(office.counts()).containsEntry("paid", 1).containsEntry("reclaimed", 1);
  }

  @ParameterizedTest
  @EnumSource
  void a_crash_at_any_commit_pays_no_expense_twice(Form form) {
    CrashTest.Report report =
        CrashTest.atEveryCommit(crashing -> {
          PaperOffice paper = new PaperOffice();
          TestCase one = crashing.start(form.first(paper), "one", expense("a meal"));
          crashing.advance(Duration.ofDays(2));
          one.signal(ExpenseWorkflow.DECIDED, new Decision(true, "eve"));

          assertThat(one).hasCompleted();
          assertThat(paper.counts()).containsEntry("paid", 1);
        });

    assertThat(report.crashes()).isGreaterThan(10);
  }
}

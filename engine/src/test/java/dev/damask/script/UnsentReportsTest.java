package dev.damask.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.task.EffectId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Results of steps that are reported by the script or by the thread of the handler.
final class UnsentReportsTest {
  private final UnsentReports reports = new UnsentReports();
  private final List<String> sent = new ArrayList<>();

  @Test
  void a_report_that_the_script_has_sent_is_not_sent_again() {
    reports.hand(new EffectId(1), reports::sendAll, () -> sent.add("one"));

    assertThat(sent).containsExactly("one");
  }

  @Test
  void a_report_that_the_script_does_not_send_is_sent_by_the_handler() {
    reports.hand(new EffectId(1), () -> {}, () -> sent.add("one"));

    assertThat(sent).containsExactly("one");
  }

  @Test
  void a_report_that_overflows_the_stack_of_the_script_is_sent_by_the_handler() {
    Runnable report =
        () -> {
          sent.add("tried");
          if (sent.size() == 1) {
            throw new StackOverflowError();
          }
        };

    reports.hand(
        new EffectId(1),
        () -> assertThatThrownBy(reports::sendAll).isInstanceOf(StackOverflowError.class),
        report);
    reports.sendAll();

    assertThat(sent).containsExactly("tried", "tried");
  }
}

package dev.damask.check;

import dev.damask.check.Diagnostic.Severity;
import dev.damask.task.Delivery;
import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import java.util.List;
import java.util.function.Consumer;

/// Do the options of a task fit together?
final class TaskCheck {
  static final String AT_MOST_ONCE_RETRY = "AT_MOST_ONCE_RETRY";
  static final String SCRIPT_RETRY = "SCRIPT_RETRY";

  static final String PARK_WITHOUT_EFFECT = "PARK_WITHOUT_EFFECT";
  static final String EXACTLY_ONCE_WITHOUT_EFFECT = "EXACTLY_ONCE_WITHOUT_EFFECT";

  /// The codes of rules that workflows in existing stores may break. The machine runs these
  /// workflows safely: such a retry is ignored, and such a count fails the case.
  static final List<String> YOUNG = List.of(AT_MOST_ONCE_RETRY, CountCheck.WRONG_COUNT);

  private TaskCheck() {}

  static void check(TermPath path, Term.Task task, Consumer<Diagnostic> report) {
    TaskOptions options = task.options();
    Retry retry = options.retry();
    if (retry.max() > 1
        && task.work() instanceof Term.Work.Pure(var function, _)
        && function.isUndoneFromStart()) {
      report.accept(
          new Diagnostic(
              Severity.ERROR,
              SCRIPT_RETRY,
              path,
              "script '" + task.name() + "' would be retried as a whole",
              "remove the retry and add it to its steps"));
    }
    if (options.delivery() == Delivery.AT_MOST_ONCE
        && retry.max() > 1
        && retry.on() != Retry.On.NOT_SENT) {
      report.accept(
          new Diagnostic(
              Severity.ERROR,
              AT_MOST_ONCE_RETRY,
              path,
              "task '" + task.name() + "' is an at-most-once effect with a retry",
              "add 'on: notSent' to its retry (in Java: ifNotSent), or remove the retry"));
    }
    if (options.delivery() == Delivery.EXACTLY_ONCE && !(task.work() instanceof Term.Work.Effect)) {
      report.accept(
          new Diagnostic(
              Severity.ERROR,
              EXACTLY_ONCE_WITHOUT_EFFECT,
              path,
              "task '" + task.name() + "' runs in the machine and joins no transaction",
              "remove its delivery, or make it an effect"));
    }
    if (options.onExhausted() == OnExhausted.PARK && !(task.work() instanceof Term.Work.Effect)) {
      report.accept(
          new Diagnostic(
              Severity.ERROR,
              PARK_WITHOUT_EFFECT,
              path,
              "task '" + task.name() + "' runs in the machine and has no attempts to use up",
              "remove 'onExhausted', or make it an effect"));
    }
  }
}

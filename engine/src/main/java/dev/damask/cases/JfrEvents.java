package dev.damask.cases;

import dev.damask.value.Context;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/// The Flight Recorder events of the engine. An event costs nothing while no recording runs.
final class JfrEvents {
  private JfrEvents() {}

  /// A batch became durable.
  @Name("dev.damask.Commit")
  @Label("Commit")
  @Category("Damask")
  @Description("From the end of a round of a shard until its batch was durable")
  @StackTrace(false)
  static final class Commit extends Event {
    @Label("Cases")
    int cases;

    @Label("Size of the cases")
    @DataAmount
    long bytes;
  }

  /// A move of a case took longer than the budget; reported while it lasts.
  @Name("dev.damask.SlowMove")
  @Label("Slow move")
  @Category("Damask")
  @StackTrace(false)
  static final class SlowMove extends Event {
    @Label("Case")
    String caseId = "";

    @Label("Workflow")
    String workflow = "";

    @Label("Task")
    String task = "";

    @Label("Time so far")
    @Timespan(Timespan.NANOSECONDS)
    long nanos;

    static void report(dev.damask.cases.SlowMove move) {
      SlowMove event = new SlowMove();
      if (event.shouldCommit()) {
        event.caseId = move.caseId();
        event.workflow = move.workflow();
        event.task = move.task();
        event.nanos = move.time().toNanos();
        event.commit();
      }
    }
  }

  /// A workflow was run by `call`.
  @Name("dev.damask.Call")
  @Label("Call")
  @Category("Damask")
  @Description("A workflow that ran on the thread of its caller, without a case")
  @StackTrace(false)
  static final class Call extends Event {
    @Label("Workflow")
    String workflow = "";

    @Label("Result")
    String result = "";

    void end(String name, CaseResult<Context> ended) {
      if (shouldCommit()) {
        workflow = name;
        result = ended.getClass().getSimpleName();
        commit();
      }
    }
  }

  /// A case ended or got stuck.
  @Name("dev.damask.CaseEnded")
  @Label("Case ended")
  @Category("Damask")
  @StackTrace(false)
  static final class CaseEnded extends Event {
    @Label("Case")
    String caseId = "";

    @Label("Result")
    String result = "";
  }
}

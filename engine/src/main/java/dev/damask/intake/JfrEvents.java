package dev.damask.intake;

import dev.damask.caller.CaseResult;
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
public final class JfrEvents {
  private JfrEvents() {}

  /// A batch became durable.
  @Name("dev.damask.Commit")
  @Label("Commit")
  @Category("Damask")
  @Description("From the end of a round of a shard until its batch was durable")
  @StackTrace(false)
  public static final class Commit extends Event {
    @Label("Cases")
    int cases;

    @Label("Size of the cases")
    @DataAmount
    long bytes;

    /// Ends the event of a batch and commits it.
    public void end(int durable, long size) {
      cases = durable;
      bytes = size;
      commit();
    }
  }

  /// A move of a case took longer than the budget; reported while it lasts.
  @Name("dev.damask.SlowMove")
  @Label("Slow move")
  @Category("Damask")
  @StackTrace(false)
  public static final class SlowMove extends Event {
    @Label("Case")
    String caseId = "";

    @Label("Workflow")
    String workflow = "";

    @Label("Task")
    String task = "";

    @Label("Time so far")
    @Timespan(Timespan.NANOSECONDS)
    long nanos;

    /// Commits an event about a move while a recording runs.
    public static void report(dev.damask.ops.SlowMove move) {
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
  public static final class Call extends Event {
    @Label("Workflow")
    String workflow = "";

    @Label("Result")
    String result = "";

    /// Ends the event and commits it while a recording runs.
    public void end(String name, CaseResult<Context> ended) {
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
  public static final class CaseEnded extends Event {
    @Label("Case")
    String caseId = "";

    @Label("Result")
    String result = "";

    /// Commits an event about a case while a recording runs.
    public static void report(String caseId, CaseResult<Context> ended) {
      CaseEnded event = new CaseEnded();
      if (event.shouldCommit()) {
        event.caseId = caseId;
        event.result = ended.getClass().getSimpleName();
        event.commit();
      }
    }
  }
}

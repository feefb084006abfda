package dev.damask.cases;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/// What the engine tells Java Flight Recorder. An event costs nothing while nobody records.
final class Flight {
  private Flight() {}

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

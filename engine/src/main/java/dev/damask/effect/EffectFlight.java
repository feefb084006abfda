package dev.damask.effect;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/// A Flight Recorder event for one handler call. It costs nothing while no recording runs.
@Name("dev.damask.Effect")
@Label("Effect")
@Category("Damask")
@Description("From the start of a call until its result")
@StackTrace(false)
final class EffectFlight extends Event {
  @Label("Case")
  String caseId = "";

  @Label("Task")
  String task = "";

  @Label("Type")
  String type = "";

  @Label("Attempt")
  int attempt;

  @Label("Result")
  String result = "";

  /// The call has come back.
  void end(EffectCall call, EffectResult how) {
    end();
    if (shouldCommit()) {
      caseId = call.caseId();
      task = call.task();
      type = call.type();
      attempt = call.attempt();
      result = how.getClass().getSimpleName();
      commit();
    }
  }
}

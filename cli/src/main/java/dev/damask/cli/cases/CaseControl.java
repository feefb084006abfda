package dev.damask.cli.cases;

import dev.damask.caller.CaseReply;
import dev.damask.cli.command.CaseHost;
import dev.damask.cli.command.Streams;
import java.util.function.Function;

/// Applies an action of an operator to one case and prints the status of the case.
public final class CaseControl {
  private CaseControl() {}

  /// Applies an action. Returns the exit code.
  public static int apply(
      Streams streams, CaseHost host, String caseId, Function<CaseInputs, CaseReply> action) {
    try (CaseInputs inputs = CaseInputs.open(host, caseId, null)) {
      CaseReply reply = action.apply(inputs);
      streams.out().println(InputCommand.line(inputs.view(), reply.kind()));
      return InputCommand.exit(reply.kind());
    }
  }
}

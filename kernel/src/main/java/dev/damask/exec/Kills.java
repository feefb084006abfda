package dev.damask.exec;

import dev.damask.event.TraceEvent;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.state.Frame;
import dev.damask.state.Invariant;
import dev.damask.state.Token;
import dev.damask.state.Undoing.Ending;
import dev.damask.term.Term;
import java.util.List;

/// The instruction `KILL`: which activations it ends, and with what.
final class Kills {
  private final Machine machine;

  Kills(Machine machine) {
    this.machine = machine;
  }

  /// The instruction: ends the open activations of a name within the unit of the token.
  void kill(ExecState state, Token token, Pool.Kill kill) {
    token.setIp(token.ip + Code.length(Code.KILL));
    String name = kill.name() < 0 ? "case" : machine.pools.names()[kill.name()];
    String outcome = kill.outcome().name();
    machine.trace(state, TraceEvent.Kind.CANCELLED, "CANCEL-PROPAGATE", token, name, outcome);
    boolean withdraws = kill.outcome() == Term.Kill.Outcome.WITHDRAW;
    Ending.Kind kind = withdraws ? Ending.Kind.WITHDRAW : Ending.Kind.COMPLETE;
    Ending ending = Ending.of(kind, CancelCause.of(name, CancelCause.KILLED));
    if (kill.name() < 0 && withdraws) {
      machine.cancellation.end(state, state.root, ending);
      return;
    }
    if (kill.name() < 0 || kill.outcome() == Term.Kill.Outcome.BREAK) {
      Frame around = kill.name() < 0 ? state.root : around(token.frame, kill.name());
      machine.cancellation.undoLog.keep(token.frame, around);
      boolean fires = around.set != null;
      Merging.Stamped left = machine.passings.leave(state, token, around);
      Ending with = fires ? ending : Ending.deliver(left.context(), left.stamps());
      machine.cancellation.end(state, around, with);
      CancelCause.settled(state);
      return;
    }
    Frame unit = unit(state, token.frame, kill.name());
    for (Frame frame : List.copyOf(state.named(kill.name()).values())) {
      if (!frame.closed && frame.isWithin(unit)) {
        machine.cancellation.end(state, frame, ending);
      }
    }
    CancelCause.settled(state);
  }

  /// The innermost activation of a name around a frame, which the check has found to exist.
  private Frame around(Frame from, int name) {
    for (Frame frame = from; frame != null; frame = frame.parent) {
      boolean named =
          switch (frame.kind) {
            case REGION -> machine.pools.regions()[frame.spec].name() == name;
            case SET -> machine.pools.instances()[frame.spec].name() == name;
            default -> false;
          };
      if (named) {
        return frame;
      }
    }
    throw new Invariant.Broken("I20 a break is inside the region that it ends; " + from.id);
  }

  /// The innermost instance, call or case around a frame whose text contains a region of the name.
  private Frame unit(ExecState state, Frame from, int name) {
    for (Frame frame = from; frame != null; frame = frame.parent) {
      int unit =
          switch (frame.kind) {
            case INSTANCE -> machine.pools.instances()[frame.outer().spec].unit();
            case CALL -> machine.pools.entries()[frame.spec].unit();
            default -> -1;
          };
      if (unit >= 0 && machine.program.unitContains(unit, name)) {
        return frame;
      }
    }
    return state.root;
  }
}

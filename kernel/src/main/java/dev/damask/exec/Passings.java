package dev.damask.exec;

import dev.damask.exec.Merging.Stamped;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.Token;
import dev.damask.value.Context;
import org.jspecify.annotations.Nullable;

/// Calls that pass arguments or name their result: the definition has its own context, and the
/// frame of the call keeps the caller's.
final class Passings {
  private final Machine machine;

  Passings(Machine machine) {
    this.machine = machine;
  }

  /// What a frame passes; null when it is no call, or one that shares the caller's context.
  static Pool.@Nullable Passing of(Program program, Frame frame) {
    return frame.kind == Frame.Kind.CALL && !program.pools().passings().isEmpty()
        ? program.pools().passings().get(frame.returnAddress - Code.length(Code.CALL))
        : null;
  }

  /// The context a definition starts with; null when it is the caller's.
  @Nullable Context arguments(Token token) {
    Pool.Passing passing =
        machine.pools.passings().isEmpty() ? null : machine.pools.passings().get(token.ip);
    return passing == null ? null : arguments(passing, token.context);
  }

  private @Nullable Context arguments(Pool.Passing passing, Context caller) {
    String[] keys = passing.keys();
    if (keys == null) {
      return null;
    }
    Context own = Context.empty();
    for (int i = 0; i < keys.length; i++) {
      own = own.with(keys[i], machine.value(passing.values()[i], caller));
    }
    return own;
  }

  /// The main token of a call comes back: it has the caller's context and the result.
  void back(ExecState state, Token token) {
    Pool.Passing passing = of(machine.program, token.frame);
    if (passing != null) {
      Stamped result = result(state, token.frame, passing, token.context);
      token.setContext(result.context());
      token.setStamps(result.stamps());
    }
  }

  /// The data with which a token leaves the frames up to another one, as if its calls returned.
  Stamped leave(ExecState state, Token token, Frame around) {
    Stamped left = new Stamped(token.context, token.stamps);
    for (Frame frame = token.frame; frame != null && frame != around; frame = frame.parent) {
      Pool.Passing passing = of(machine.program, frame);
      if (passing != null) {
        left = result(state, frame, passing, left.context());
      }
    }
    return left;
  }

  private Stamped result(ExecState state, Frame frame, Pool.Passing passing, Context last) {
    String key = passing.result();
    Context[] stamps = {frame.entryStamps};
    if (key != null) {
      Context after = machine.fitting("with its result ", () -> frame.entry.with(key, last));
      Frame outer = frame.outer();
      return new Stamped(after, machine.writes.key(stamps[0], outer, after, key, state.steps));
    }
    Context first = arguments(passing, frame.entry);
    Context begun = first == null ? frame.entry : first;
    Context[] written = {Context.empty()};
    last.changesSince(
        begun,
        (name, value, isPresent) -> {
          if (isPresent) {
            written[0] = written[0].with(name, value);
          }
        });
    Context after = machine.fitting("with its result ", () -> frame.entry.withAll(written[0]));
    return new Stamped(
        after, machine.writes.keys(stamps[0], frame.outer(), after, written[0], state.steps));
  }
}

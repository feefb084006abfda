package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.event.Mapping;
import dev.damask.migration.Relocation;
import dev.damask.state.ExecutionCounts;
import dev.damask.state.Token;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/// The last sections of a stored state: the names of cancelled scopes, the numbers of executions,
/// and late failures. A state ends after its last section that is not empty, so that a state
/// without any, and every state of a former version, has the bytes it always had.
final class StateTail {
  private StateTail() {}

  /// @param tokens in the order of their ids
  static void write(ExecState state, List<Token> tokens, Encoder out) {
    int sections =
        state.late != null ? 3 : state.executions != null ? 2 : state.cancelled != null ? 1 : 0;
    if (sections > 0) {
      List<String> names = state.cancelledNames();
      out.natural(names.size());
      names.forEach(out::text);
    }
    if (sections > 1) {
      if (state.executions == null) {
        out.natural(0);
      } else {
        state.executions.write(out);
        for (Token token : tokens) {
          if (token.state == Token.State.EFFECT) {
            out.natural(Objects.requireNonNull(token.wait).execution);
          }
        }
      }
    }
    if (state.late != null) {
      out.natural(state.late.size());
      state.late.forEach(failure -> StateWriter.failure(failure, out));
    }
  }

  /// @param tokens in the order of their ids
  static void read(Decoder in, ExecState state, Collection<Token> tokens, Relocation relocation) {
    if (in.atEnd()) {
      return;
    }
    int left = in.count();
    boolean isLast = readNames(in, state, left, relocation) && in.atEnd();
    if (isLast) {
      return;
    }
    int tasks = in.count();
    if (tasks > 0) {
      state.executions = ExecutionCounts.read(in, tasks).renamed(relocation.names().tasks());
      for (Token token : tokens) {
        if (token.state == Token.State.EFFECT) {
          Objects.requireNonNull(token.wait).execution = in.below(Integer.MAX_VALUE);
        }
      }
      if (in.atEnd()) {
        return;
      }
    }
    for (int i = readLate(in); i > 0; i--) {
      state.noteLate(plainFailure(in));
    }
    in.requireEnd();
  }

  /// Reads a failure with those attached to it.
  static Failure failure(Decoder in) {
    Failure failure = plainFailure(in);
    int attached = in.count();
    for (int i = 0; i < attached; i++) {
      failure = failure.with(plainFailure(in));
    }
    return failure;
  }

  private static Failure plainFailure(Decoder in) {
    String task = in.text();
    String reason = in.text();
    String detail = in.text();
    int attempt = in.below(Integer.MAX_VALUE);
    return new Failure(task, reason, detail, attempt, in.text());
  }

  /// Whether there were any.
  private static boolean readNames(Decoder in, ExecState state, int count, Relocation relocation) {
    String last = "";
    for (int left = count; left > 0; left--) {
      String name = in.text();
      if (name.compareTo(last) <= 0 || relocation.source().nameIndex(name) < 0) {
        throw in.damaged("there is more than a state");
      }
      String renamed = Mapping.renamed(relocation.names().scopes(), name);
      state.setCancelled(renamed, state.program.nameIndex(renamed) >= 0);
      last = name;
    }
    return count > 0;
  }

  private static int readLate(Decoder in) {
    int count = in.count();
    if (count < 1 || count > ExecState.LATE_MAX) {
      throw in.damaged("there is more than a state");
    }
    return count;
  }
}

package dev.damask.verify;

import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Exploration.TokenView;
import dev.damask.verify.Counterexample.Move;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// An infinite run: the moves into a state that cannot end, followed by one round.
///
/// @param from the number of moves before the repeated part
record Cycle(List<Move> moves, int from) {
  private static final int STEPS_MAX = 10_000;

  /// Continues from the end of a path until a state repeats.
  static Cycle find(Moves search, Options options, List<Move> path) {
    byte[] bytes = Exploration.canonical(search.start());
    for (Move move : path) {
      bytes = take(search, bytes, move);
    }
    List<Move> moves = new ArrayList<>(path);
    Map<ByteBuffer, Integer> seen = new HashMap<>();
    for (int i = 0; i < STEPS_MAX; i++) {
      Integer before = seen.putIfAbsent(ByteBuffer.wrap(bytes), moves.size());
      if (before != null) {
        return new Cycle(moves, before);
      }
      Move move = next(search, options, bytes);
      bytes = take(search, bytes, move);
      moves.add(
          move instanceof Move.Reduce(var token, _)
              ? new Move.Reduce(token, search.oracle().answers())
              : move);
    }
    return new Cycle(path, path.size());
  }

  private static byte[] take(Moves search, byte[] bytes, Move move) {
    ExecState state = search.load(bytes);
    search.oracle().restart(move instanceof Move.Reduce(_, var given) ? given : List.of());
    search.take(move);
    return Exploration.canonical(state);
  }

  private static Move next(Moves search, Options options, byte[] bytes) {
    search.load(bytes);
    List<TokenView> ready = search.ready();
    return ready.isEmpty()
        ? search.inputs(options, false).getFirst()
        : new Move.Reduce(ready.getFirst().id(), List.of());
  }
}

package dev.damask.verify;

import dev.damask.event.Status;
import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Exploration.TokenView;
import dev.damask.verify.Counterexample.Move;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Walks randomly through a program without recording states, to find a deadlock quickly if there
/// are too many states to visit. The same program always gets the same walks.
///
/// Walks have different preferences, because no single preference finds everything. Some advance
/// all tokens equally, so that resources are taken alternately. Some choose uniformly. Some let a
/// few tokens run far ahead of the others.
final class RandomWalks {
  private static final int WALKS = 64;
  private static final int LENGTH_MAX = 1_000;

  /// The maximum number of moves of all walks together.
  private static final int MOVES_MAX = 6_000;

  private static final int STRATEGIES = 3;

  /// One in this many moves is chosen without a preference.
  private static final int CHANCE = 64;

  /// One in this many external events may be a failure.
  private static final int FAILURES = 8;

  private final Moves search;
  private final Options options;
  private final boolean failuresMatter;
  private int taken;

  RandomWalks(Moves search, Options options, boolean failuresMatter) {
    this.search = search;
    this.options = options;
    this.failuresMatter = failuresMatter;
  }

  /// Returns the number of moves taken.
  int moves() {
    return taken;
  }

  /// Returns the moves of the shortest path found into a deadlock; empty if there is none.
  List<Move> find() {
    int longest = Math.min(LENGTH_MAX, options.depthMax());
    long best = -1;
    for (long seed = 0; seed < WALKS && taken < MOVES_MAX; seed++) {
      Walk walk = new Walk(seed);
      int length = walk.run(longest, null);
      if (length >= 0) {
        best = seed;
        longest = length - 1;
      }
    }
    List<Move> path = new ArrayList<>();
    if (best >= 0) {
      new Walk(best).run(LENGTH_MAX, path);
    }
    return path;
  }

  /// One walk on one state, which is never encoded and decoded.
  private final class Walk {
    private final SplittableRandom random;
    private final ExecState state = search.start();
    private final long seed;
    private final Map<Object, Integer> counts = new HashMap<>();
    private final Set<String> signalled = new HashSet<>();
    private int added;

    Walk(long seed) {
      this.seed = seed;
      this.random = new SplittableRandom(seed);
    }

    /// Returns the number of moves into a deadlock, or -1.
    ///
    /// @param path receives the moves in canonical numbers, without detours; may be null
    int run(int longest, @Nullable List<Move> path) {
      Map<ByteBuffer, Integer> seen = new HashMap<>();
      for (int length = 0; length <= longest; length++) {
        if (path != null) {
          cut(path, seen);
        }
        if (state.isDone()) {
          return state.status() == Status.DEADLOCKED ? length : -1;
        }
        List<TokenView> ready = search.ready();
        Move move = ready.isEmpty() ? outside() : pick(ready);
        if (move == null) {
          return length;
        }
        taken++;
        Move canonical = path == null ? move : canonical(move);
        search.oracle().restart(random);
        search.take(move);
        if (path != null) {
          path.add(
              canonical instanceof Move.Reduce(var token, var none)
                  ? new Move.Reduce(token, search.oracle().answers())
                  : canonical);
        }
      }
      return -1;
    }

    /// Removes a detour that returned to an earlier state. External events with a limited number
    /// are not part of the state, so such walks keep their detours.
    private void cut(List<Move> path, Map<ByteBuffer, Integer> seen) {
      if (options.signals() == Options.Signals.ONCE || options.addedMax() > 0) {
        return;
      }
      ByteBuffer bytes = ByteBuffer.wrap(Exploration.canonical(state));
      Integer before = seen.putIfAbsent(bytes, path.size());
      if (before != null) {
        path.subList(before, path.size()).clear();
        seen.values().removeIf(index -> index > before);
      }
    }

    private Move pick(List<TokenView> ready) {
      return prefer(
          ready.stream().<Move>map(token -> new Move.Reduce(token.id(), List.of())).toList());
    }

    /// Returns one of several moves by the preference of this walk.
    private Move prefer(List<Move> moves) {
      int first = random.nextInt(moves.size());
      boolean uniform = seed % STRATEGIES == 1 || random.nextInt(CHANCE) == 0;
      Move chosen = moves.get(first);
      long least = uniform ? Long.MIN_VALUE : rank(chosen);
      for (int i = 1; i < moves.size(); i++) {
        Move move = moves.get((first + i) % moves.size());
        if (!uniform && rank(move) < least) {
          chosen = move;
          least = rank(move);
        }
      }
      counts.merge(subject(chosen), 1, Integer::sum);
      return chosen;
    }

    private long rank(Move move) {
      Object subject = subject(move);
      return seed % STRATEGIES == 0
          ? counts.getOrDefault(subject, 0)
          : (subject.hashCode() + seed) * 0x9E3779B97F4A7C15L;
    }

    private static Object subject(Move move) {
      return switch (move) {
        case Move.Reduce(var token, var none) -> token;
        case Move.Done(var token) -> token;
        case Move.Fail(var token) -> token;
        case Move.Timer timer -> timer;
        case Move.Signal signal -> signal;
        case Move.Add add -> add;
        case Move.Close close -> close;
        case Move.Fire fire ->
            throw new IllegalArgumentException("a net transition cannot run on the machine");
      };
    }

    /// Returns an external event, or null if there is none that a case may rely on.
    private @Nullable Move outside() {
      List<Move> reliable = new ArrayList<>();
      List<Move> others = new ArrayList<>();
      for (Move move : search.inputs(options, failuresMatter)) {
        boolean spent =
            (move instanceof Move.Signal(var place)
                    && options.signals() == Options.Signals.ONCE
                    && signalled.contains(place))
                || (move instanceof Move.Add && added >= options.addedMax());
        if (!spent) {
          (move instanceof Move.Fail || move instanceof Move.Add ? others : reliable).add(move);
        }
      }
      if (reliable.isEmpty()) {
        return null;
      }
      boolean adverse = !others.isEmpty() && random.nextInt(FAILURES) == 0;
      Move move = prefer(adverse ? others : reliable);
      if (move instanceof Move.Signal(var place)) {
        signalled.add(place);
      }
      added += move instanceof Move.Add ? 1 : 0;
      return move;
    }

    private Move canonical(Move move) {
      Map<Integer, Integer> tokens = Exploration.tokenNumbers(state);
      return switch (move) {
        case Move.Reduce(var token, var none) -> new Move.Reduce(number(tokens, token), none);
        case Move.Done(var token) -> new Move.Done(number(tokens, token));
        case Move.Fail(var token) -> new Move.Fail(number(tokens, token));
        case Move.Timer(var isScope, var id) ->
            new Move.Timer(isScope, number(isScope ? Exploration.frameNumbers(state) : tokens, id));
        case Move.Signal signal -> signal;
        case Move.Add add -> add;
        case Move.Close close -> close;
        case Move.Fire fire ->
            throw new IllegalArgumentException("a net transition cannot run on the machine");
      };
    }

    private static int number(Map<Integer, Integer> numbers, int id) {
      return numbers.getOrDefault(id, 0);
    }
  }
}

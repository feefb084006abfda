package dev.damask.exec;

import dev.damask.task.Context;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.TreeMap;

/// The tokens on a place, the oldest first, and who waits for one, the longest waiting first.
final class PlaceState {
  final Deque<Context> tokens = new ArrayDeque<>();

  /// Waiting tokens by the number of their wait.
  final TreeMap<Integer, Token> waiting = new TreeMap<>();
}

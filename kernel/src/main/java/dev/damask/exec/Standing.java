package dev.damask.exec;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// Where the tokens of a resting case stand, for people and pictures.
public final class Standing {
  private Standing() {}

  /// How many tokens wait at each term, by the text of its path: those in tasks and those that wait
  /// for a place or a time.
  public static SortedMap<String, Integer> of(ExecState state) {
    SortedMap<String, Integer> tokens = new TreeMap<>();
    if (state.effects != null) {
      count(state, state.effects.inOrder(), tokens);
    }
    if (state.awaits != null) {
      count(state, state.awaits.values(), tokens);
    }
    return Collections.unmodifiableSortedMap(tokens);
  }

  private static void count(
      ExecState state, Collection<Token> all, SortedMap<String, Integer> tokens) {
    for (Token token : all) {
      tokens.merge(state.program.source().at(token.ip).toString(), 1, Integer::sum);
    }
  }
}

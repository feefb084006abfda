package dev.damask.drawing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What is laid over a picture, by the text of a term's path such as `do[0].par[1]`.
///
/// @param byPath what is known about single terms
/// @param highlighted a way through the workflow, such as a counterexample, step by step
public record Marks(SortedMap<String, Mark> byPath, List<String> highlighted) {
  public static final Marks NONE = new Marks(new TreeMap<>(), List.of());

  /// What a term is doing.
  public enum State {
    WAITING,
    RUNNING,
    DONE,
    FAILED
  }

  /// What is known about one term.
  ///
  /// @param tokens how many tokens stand there
  /// @param state null when nothing is known
  /// @param note a few words below the term; empty for none
  public record Mark(int tokens, @Nullable State state, String note) {
    static final Mark NONE = new Mark(0, null, "");

    public Mark {
      if (tokens < 0) {
        throw new IllegalArgumentException("tokens are not negative, got " + tokens);
      }
    }
  }

  public Marks {
    byPath = Collections.unmodifiableSortedMap(new TreeMap<>(byPath));
    highlighted = List.copyOf(highlighted);
  }

  public Marks withTokens(String path, int tokens) {
    Mark old = at(path);
    return with(path, new Mark(tokens, old.state, old.note));
  }

  public Marks withState(String path, State state) {
    Mark old = at(path);
    return with(path, new Mark(old.tokens, state, old.note));
  }

  public Marks withNote(String path, String note) {
    Mark old = at(path);
    return with(path, new Mark(old.tokens, old.state, note));
  }

  /// Adds one step to the highlighted way.
  public Marks withStep(String path) {
    List<String> longer = new ArrayList<>(highlighted);
    longer.add(path);
    return new Marks(byPath, longer);
  }

  Mark at(String path) {
    return byPath.getOrDefault(path, Mark.NONE);
  }

  private Marks with(String path, Mark mark) {
    SortedMap<String, Mark> changed = new TreeMap<>(byPath);
    changed.put(path, mark);
    return new Marks(changed, highlighted);
  }
}

package dev.damask.drawing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The marks of a diagram, by the text of a term's path such as `do[0].par[1]`.
///
/// @param byPath the marks of single terms
/// @param highlighted a path through the workflow, such as a counterexample, step by step
/// @param arcs the arcs of graphs on the highlighted path
public record Marks(SortedMap<String, Mark> byPath, List<Step> highlighted, Set<Arc> arcs) {
  public static final Marks NONE = new Marks(new TreeMap<>(), List.of(), Set.of());

  /// A step of the highlighted path.
  ///
  /// @param number the number that is shown; 0 for a step without a number
  public record Step(String path, int number) {}

  /// An arc between two nodes of a graph; `start` and `end` are nodes too.
  public record Arc(String graph, String from, String to) {}

  /// The state of a term.
  public enum State {
    WAITING,
    RUNNING,
    DONE,
    FAILED
  }

  /// The marks of one term.
  ///
  /// @param tokens the number of tokens at the term
  /// @param state null if unknown
  /// @param note a short text below the term; empty for none
  public record Mark(int tokens, @Nullable State state, String note) {
    static final Mark NONE = new Mark(0, null, "");

    public Mark {
      if (tokens < 0) {
        throw new IllegalArgumentException("tokens must not be negative, got " + tokens);
      }
    }
  }

  public Marks {
    byPath = Collections.unmodifiableSortedMap(new TreeMap<>(byPath));
    highlighted = List.copyOf(highlighted);
    arcs = Set.copyOf(arcs);
  }

  /// Returns a copy with this number of tokens at a term.
  public Marks withTokens(String path, int tokens) {
    Mark old = at(path);
    return with(path, new Mark(tokens, old.state, old.note));
  }

  /// Returns a copy with this state of a term.
  public Marks withState(String path, State state) {
    Mark old = at(path);
    return with(path, new Mark(old.tokens, state, old.note));
  }

  /// Returns a copy with this note at a term.
  public Marks withNote(String path, String note) {
    Mark old = at(path);
    return with(path, new Mark(old.tokens, old.state, note));
  }

  /// Returns a copy with one more step on the highlighted path, with the next number.
  public Marks withStep(String path) {
    int last = highlighted.stream().mapToInt(Step::number).max().orElse(0);
    return withStep(path, last + 1);
  }

  /// Returns a copy with one more step on the highlighted path, with this number or 0 for none.
  public Marks withStep(String path, int number) {
    List<Step> longer = new ArrayList<>(highlighted);
    longer.add(new Step(path, number));
    return new Marks(byPath, longer, arcs);
  }

  /// Returns a copy with an arc of a graph on the highlighted path.
  public Marks withArc(String graph, String from, String to) {
    Set<Arc> more = new HashSet<>(arcs);
    more.add(new Arc(graph, from, to));
    return new Marks(byPath, highlighted, more);
  }

  Mark at(String path) {
    return byPath.getOrDefault(path, Mark.NONE);
  }

  private Marks with(String path, Mark mark) {
    SortedMap<String, Mark> changed = new TreeMap<>(byPath);
    changed.put(path, mark);
    return new Marks(changed, highlighted, arcs);
  }
}

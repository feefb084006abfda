package dev.damask.check;

import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// All terms of one body in the order they are written, each with the term around it. Parts have
/// larger numbers than the whole, so going backwards is going from the leaves to the root.
final class TermList {
  static final int NONE = -1;

  /// How far out a scope of a name is looked for.
  private static final int NESTING_MAX = 1_000;

  private final List<Entry> entries = new ArrayList<>();

  /// One term.
  ///
  /// @param around the number of the term around it, or [#NONE]
  /// @param step how it is reached from there
  record Entry(TermPath path, Term term, int around, String step) {
    /// Whether it runs only when the scope around it has ended.
    boolean isHandler() {
      return step.equals(".catch") || step.equals(".onTimeout");
    }
  }

  TermList(TermPath path, Term body) {
    Deque<Entry> open = new ArrayDeque<>();
    open.push(new Entry(path, body, NONE, ""));
    while (!open.isEmpty()) {
      Entry entry = open.pop();
      int number = entries.size();
      entries.add(entry);
      List<TermWalker.Part> parts = TermWalker.parts(entry.term());
      for (int i = parts.size() - 1; i >= 0; i--) {
        String step = parts.get(i).step();
        open.push(new Entry(entry.path().then(step), parts.get(i).term(), number, step));
      }
    }
  }

  int size() {
    return entries.size();
  }

  Entry get(int number) {
    return entries.get(number);
  }

  List<Entry> entries() {
    return entries;
  }

  /// Whether a term is in the body of a scope or a set of that name.
  boolean isInside(int at, String name) {
    int number = at;
    for (int depth = 0; depth < NESTING_MAX; depth++) {
      Entry entry = get(number);
      if (entry.around() < 0) {
        return false;
      }
      Term around = get(entry.around()).term();
      boolean named =
          (around instanceof Term.Cancel cancel && cancel.name().equals(name))
              || (around instanceof Term.Mi mi && mi.name().equals(name));
      if (named && !entry.isHandler()) {
        return true;
      }
      number = entry.around();
    }
    return false;
  }

  /// The direct parts of every term, in the order they are written.
  int[][] parts() {
    int[] counts = new int[size()];
    for (Entry entry : entries) {
      if (entry.around() >= 0) {
        counts[entry.around()]++;
      }
    }
    int[][] parts = new int[size()][];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = new int[counts[i]];
    }
    for (int i = size() - 1; i > 0; i--) {
      int around = entries.get(i).around();
      parts[around][--counts[around]] = i;
    }
    return parts;
  }
}

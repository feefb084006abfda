package dev.damask.term;

import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/// Finds the line of a program that calls a factory of terms.
public final class SourceLine {
  /// How many frames of factories may lie between a call and this class.
  private static final int FRAMES_MAX = 16;

  private static final StackWalker WALKER = StackWalker.getInstance();

  private final Set<String> factories;

  /// Creates a finder.
  ///
  /// @param factories the names of the classes whose calls belong to factories
  public SourceLine(Collection<String> factories) {
    TreeSet<String> all = new TreeSet<>(factories);
    all.add(SourceLine.class.getName());
    this.factories = Collections.unmodifiableSet(all);
  }

  /// Returns the line that calls a factory, such as `Shop.java:42`; empty if the class has no line
  /// numbers.
  public String caller() {
    return WALKER.walk(frames ->
        frames
            .limit(FRAMES_MAX)
            .filter(frame -> !isFactory(frame.getClassName()))
            .findFirst()
            .map(SourceLine::shown)
            .orElse(""));
  }

  private boolean isFactory(String name) {
    int nested = name.indexOf('$');
    return factories.contains(nested < 0 ? name : name.substring(0, nested))
        || name.startsWith("java.");
  }

  private static String shown(StackWalker.StackFrame frame) {
    String file = frame.getFileName();
    return file == null || frame.getLineNumber() <= 0 ? "" : file + ":" + frame.getLineNumber();
  }
}

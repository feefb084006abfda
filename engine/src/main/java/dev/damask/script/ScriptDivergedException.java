package dev.damask.script;

import java.util.List;

/// A script asks for other steps than the ones that were recorded: its code has changed, or it
/// depends on something that is not recorded. The case is quarantined with both lists.
public final class ScriptDivergedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// How many steps of a list a message shows.
  private static final int SHOWN_MAX = 50;

  ScriptDivergedException(String what, List<String> asked, List<String> recorded) {
    super(
        ("%s; asked: %s; recorded: %s; deploy the code that recorded the steps, or guard the change"
                + " with version(name, current), then retry the task")
            .formatted(what, shown(asked), shown(recorded)));
  }

  private static String shown(List<String> steps) {
    int hidden = Math.max(0, steps.size() - SHOWN_MAX);
    return (hidden == 0 ? "" : "(" + hidden + " earlier) ") + steps.subList(hidden, steps.size());
  }
}

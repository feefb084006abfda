package dev.damask.nursery;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/// Formats a snapshot as an indented tree.
final class SnapshotText {

  private final StringBuilder text = new StringBuilder();

  private SnapshotText() {}

  static String of(NurserySnapshot snapshot) {
    var drawing = new SnapshotText();
    drawing.nursery(snapshot, "", "");
    return drawing.text.toString();
  }

  private void nursery(NurserySnapshot nursery, String first, String rest) {
    text.append(first)
        .append("nursery %s: %s, ".formatted(nursery.name(), word(nursery.state())))
        .append("%d of %d running, ".formatted(nursery.children().size(), nursery.spawned()))
        .append(age(nursery.age()))
        .append(nursery.cancelled().isEmpty() ? "" : ", cancelled, " + nursery.cancelled())
        .append('\n');
    List<ChildSnapshot> children = nursery.children();
    for (int i = 0; i < children.size(); i++) {
      boolean isLast = i == children.size() - 1;
      child(children.get(i), rest + (isLast ? "└─ " : "├─ "), rest + (isLast ? "   " : "│  "));
    }
  }

  private void child(ChildSnapshot child, String first, String rest) {
    text.append(first)
        .append("child %s: %s, ".formatted(child.name(), word(child.state())))
        .append(age(child.age()))
        .append(child.waitsFor().isEmpty() ? "" : ", waits for " + child.waitsFor())
        .append('\n');
    List<NurserySnapshot> owned = child.nurseries();
    for (int i = 0; i < owned.size(); i++) {
      boolean isLast = i == owned.size() - 1;
      nursery(owned.get(i), rest + (isLast ? "└─ " : "├─ "), rest + (isLast ? "   " : "│  "));
    }
  }

  private static String word(Enum<?> state) {
    return state.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String age(Duration age) {
    return String.format(Locale.ROOT, "%.3f s", age.toNanos() / 1e9);
  }
}

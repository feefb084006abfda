package dev.damask.exec;

import dev.damask.exec.Alignment.Match;
import dev.damask.exec.Outline.Home;
import dev.damask.exec.Outline.Part;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Which construct of one version is which in another, found from the outside in: a construct can
/// only be the partner of one that stands in the partner of its home.
final class Pairing {
  final Wording before;
  final Wording after;
  private final Outline outline;
  private final Outline newOutline;
  private final TreeMap<Integer, Match> matches = new TreeMap<>();
  private final TreeMap<Integer, Alignment> alignments = new TreeMap<>();
  private final TreeMap<String, Integer> definitions = new TreeMap<>();
  private final TreeMap<String, Integer> places = new TreeMap<>();

  Pairing(Outline outline, Outline newOutline, Mapping mapping) {
    this.outline = outline;
    this.newOutline = newOutline;
    this.before = new Wording(outline, mapping);
    this.after = new Wording(newOutline, Mapping.NONE);
    for (int i = 0; i < newOutline.program.pools().entries().length; i++) {
      definitions.put(after.definition(i), i);
    }
    for (int i = 0; i < newOutline.program.pools().placeCount(); i++) {
      places.put(after.place(i), i);
    }
  }

  /// The partner of a construct. It has none, and no reason of its own, when its home has none.
  Match partner(Part part) {
    Match known = matches.get(part.address);
    if (known == null) {
      known = find(part);
      matches.put(part.address, known);
    }
    return known;
  }

  private Match find(Part part) {
    Home home = home(part.home());
    if (home == null) {
      return new Match(null, "");
    }
    Alignment alignment = alignments.get(part.home().number());
    if (alignment == null) {
      alignment = new Alignment(before, outline.items(part.home()), after, newOutline.items(home));
      alignments.put(part.home().number(), alignment);
    }
    return alignment.partner(part);
  }

  /// The same kind of frame in the new version; null when it has none.
  private @Nullable Home home(Home home) {
    return switch (home.place()) {
      case CASE -> newOutline.home(0);
      case DEFINITION -> {
        int index = definition(home.index());
        yield index < 0 ? null : newOutline.definition(index);
      }
      case UNDO -> {
        Part task = partner(outline.task(home.index())).part();
        yield task == null ? null : newOutline.undo(newOutline.operand(task));
      }
      case BRANCH, REGION, INSTANCE, NODE -> {
        Part construct = partner(home.construct()).part();
        yield construct == null ? null : inside(home, construct);
      }
    };
  }

  private @Nullable Home inside(Home home, Part construct) {
    int number = home.place() == Outline.Place.NODE ? node(home, construct) : home.index();
    return number < 0 || number >= construct.parts.size()
        ? null
        : newOutline.inside(construct, number);
  }

  private int node(Home home, Part construct) {
    Pool.Node[] nodes = net(outline, home.construct()).nodes();
    Pool.Node[] newNodes = net(newOutline, construct).nodes();
    for (int i = 0; i < newNodes.length; i++) {
      if (newNodes[i].id().equals(nodes[home.index()].id())) {
        return i;
      }
    }
    return -1;
  }

  private static Pool.Net net(Outline outline, Part part) {
    return outline.program.pools().nets()[outline.operand(part)];
  }

  /// The definition of the same name in the new version, or -1.
  int definition(int index) {
    return definitions.getOrDefault(before.definition(index), -1);
  }

  /// The place of the same name in the new version, or -1.
  int place(int index) {
    return places.getOrDefault(before.place(index), -1);
  }

  /// Where else in the new version something of the same name stands.
  List<String> elsewhere(Part part) {
    String label = before.label(part);
    if (!before.isNamed(part)) {
      return List.of();
    }
    return newOutline.parts().stream()
        .filter(each -> newOutline.operation(each) != Code.SEQ_ENTER)
        .filter(each -> after.label(each).equals(label))
        .map(each -> each.path.toString())
        .toList();
  }
}

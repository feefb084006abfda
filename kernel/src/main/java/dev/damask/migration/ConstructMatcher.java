package dev.damask.migration;

import dev.damask.event.Mapping;
import dev.damask.migration.Alignment.Match;
import dev.damask.program.Code;
import dev.damask.program.ConstructTree;
import dev.damask.program.ConstructTree.Construct;
import dev.damask.program.ConstructTree.Home;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Which construct of one version is which in another, found from the outside in: a construct can
/// only be the partner of one that is in the partner of its home.
public final class ConstructMatcher {
  private final ConstructNames before;
  private final ConstructNames after;
  private final Program from;
  private final Program to;
  private final TreeMap<Integer, Match> matches = new TreeMap<>();
  private final TreeMap<Integer, Alignment> alignments = new TreeMap<>();
  private final TreeMap<String, Integer> definitions = new TreeMap<>();
  private final TreeMap<String, Integer> places = new TreeMap<>();

  public ConstructMatcher(Program from, Program to, Mapping mapping) {
    this.from = from;
    this.to = to;
    this.before = new ConstructNames(from, mapping);
    this.after = new ConstructNames(to, Mapping.NONE);
    for (int i = 0; i < to.pools().entries().length; i++) {
      definitions.put(after.definition(i), i);
    }
    for (int i = 0; i < to.pools().placeCount(); i++) {
      places.put(after.place(i), i);
    }
  }

  /// Returns the names of the old version's constructs, renamed by the mapping.
  public ConstructNames before() {
    return before;
  }

  /// Returns the names of the new version's constructs.
  public ConstructNames after() {
    return after;
  }

  /// Returns the partner of a construct. It has none, and no separate reason, when its home has
  /// none.
  public Match partner(Construct part) {
    Match known = matches.get(part.address());
    if (known == null) {
      known = find(part);
      matches.put(part.address(), known);
    }
    return known;
  }

  private Match find(Construct part) {
    Home home = home(part.home());
    if (home == null) {
      return new Match(null, "");
    }
    Alignment alignment = alignments.get(part.home().number());
    if (alignment == null) {
      alignment =
          new Alignment(
              before, from.constructs().items(part.home()), after, to.constructs().items(home));
      alignments.put(part.home().number(), alignment);
    }
    return alignment.partner(part);
  }

  /// The same kind of frame in the new version; null when it has none.
  private @Nullable Home home(Home home) {
    return switch (home.place()) {
      case CASE -> to.constructs().root();
      case DEFINITION -> {
        int index = definition(home.index());
        yield index < 0 ? null : to.constructs().definition(index);
      }
      case UNDO -> {
        Construct task = partner(from.constructs().task(home.index())).part();
        yield task == null ? null : to.constructs().undo(task.operand());
      }
      case BRANCH, REGION, INSTANCE, NODE -> {
        Construct construct = partner(home.construct()).part();
        yield construct == null ? null : inside(home, construct);
      }
    };
  }

  private @Nullable Home inside(Home home, Construct construct) {
    int number = home.place() == ConstructTree.Place.NODE ? node(home, construct) : home.index();
    return number < 0 || number >= construct.parts().size()
        ? null
        : ConstructTree.inside(construct, number);
  }

  private int node(Home home, Construct construct) {
    Pool.Node[] nodes = net(from, home.construct()).nodes();
    Pool.Node[] newNodes = net(to, construct).nodes();
    for (int i = 0; i < newNodes.length; i++) {
      if (newNodes[i].id().equals(nodes[home.index()].id())) {
        return i;
      }
    }
    return -1;
  }

  private static Pool.Net net(Program program, Construct part) {
    return program.pools().nets()[part.operand()];
  }

  /// Returns the definition of the same name in the new version, or -1.
  public int definition(int index) {
    return definitions.getOrDefault(before.definition(index), -1);
  }

  /// Returns the place of the same name in the new version, or -1.
  public int place(int index) {
    return places.getOrDefault(before.place(index), -1);
  }

  /// Returns where else the new version has a construct of the same name.
  public List<String> elsewhere(Construct part) {
    String label = before.label(part);
    if (!before.isNamed(part)) {
      return List.of();
    }
    return to.constructs().constructs().stream()
        .filter(each -> each.operation() != Code.SEQ_ENTER)
        .filter(each -> after.label(each).equals(label))
        .map(each -> each.path().toString())
        .toList();
  }
}

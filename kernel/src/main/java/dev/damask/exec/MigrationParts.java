package dev.damask.exec;

import dev.damask.event.Mapping;
import dev.damask.migration.Alignment.Match;
import dev.damask.migration.ConstructMatcher;
import dev.damask.program.Code;
import dev.damask.program.ConstructTree.Construct;
import dev.damask.program.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/// Compares the parts of two versions of a workflow that the state of a case can refer to.
final class MigrationParts {
  private final Program from;
  private final Program to;
  private final ConstructMatcher matcher;
  private final List<Migration.Part> parts = new ArrayList<>();
  private final TreeSet<Integer> partners = new TreeSet<>();

  private MigrationParts(Program from, Program to, Mapping mapping) {
    this.from = from;
    this.to = to;
    this.matcher = new ConstructMatcher(from, to, mapping);
  }

  static List<Migration.Part> of(Program from, Program to, Mapping mapping) {
    MigrationParts all = new MigrationParts(from, to, mapping);
    all.constructs();
    all.places();
    return List.copyOf(all.parts);
  }

  private static boolean isReferredTo(Construct part) {
    return switch (part.operation()) {
      case Code.EFFECT_YIELD,
          Code.AWAIT,
          Code.CANCEL_SCOPE,
          Code.MI_SPAWN,
          Code.PAR_FORK,
          Code.CALL,
          Code.NET_ENTER ->
          true;
      default -> false;
    };
  }

  private void constructs() {
    for (Construct part : from.constructs().constructs()) {
      if (isReferredTo(part)) {
        Match match = matcher.partner(part);
        Construct partner = match.part();
        String path = part.path().toString();
        if (partner == null) {
          String why = match.why().isEmpty() ? "is inside a part that has no partner" : match.why();
          parts.add(new Migration.Part(matcher.before().label(part), path, "", why));
        } else {
          partners.add(partner.address());
          String there = partner.path().toString();
          parts.add(new Migration.Part(matcher.after().label(partner), path, there, ""));
        }
      }
    }
    for (Construct part : to.constructs().constructs()) {
      if (isReferredTo(part) && !partners.contains(part.address())) {
        String there = part.path().toString();
        parts.add(new Migration.Part(matcher.after().label(part), "", there, "is new"));
      }
    }
  }

  private void places() {
    TreeSet<Integer> known = new TreeSet<>();
    for (int i = 0; i < from.pools().places().length; i++) {
      int partner = matcher.place(i);
      String name = from.pools().places()[i].place().name();
      if (partner < 0) {
        String why = "has no such place there; if it was renamed, the mapping must name both";
        parts.add(new Migration.Part("place " + name, "places." + name, "", why));
      } else {
        known.add(partner);
        String there = "places." + to.pools().places()[partner].place().name();
        parts.add(new Migration.Part("place " + name, "places." + name, there, ""));
      }
    }
    for (int i = 0; i < to.pools().places().length; i++) {
      if (!known.contains(i)) {
        String name = to.pools().places()[i].place().name();
        parts.add(new Migration.Part("place " + name, "", "places." + name, "is new"));
      }
    }
  }
}

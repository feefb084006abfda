package dev.damask.exec;

import dev.damask.event.Mapping;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.state.Invariant;
import dev.damask.state.Part;
import dev.damask.state.Token;
import dev.damask.state.Token.Wait;
import dev.damask.value.Decoder;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeSet;

/// What comes of moving a case to another version of its workflow: the state it has there, or why
/// it cannot go.
///
/// Only a case that cannot move can be migrated. Everything its state refers to must have a partner
/// in the new version: the tasks and waits its tokens are at, the frames that are open, the tasks
/// that may have to be undone, the places that hold tokens. The state that results must be one that
/// the new version could be in; [StateValidator] checks that without knowing how the partners were
/// found.
///
/// What data decides is not looked at again: a guard that would choose another branch today does
/// not move a token that has passed it. A timeout that runs keeps the time it is due; one that is
/// new counts from the move; one that is gone is dropped. Effects keep their ids, so that results
/// in progress still find their task.
public sealed interface Migration {
  /// The state in the new version; the one that was given is unchanged. The caller runs the machine
  /// on it before the next input, because the new version may settle what the old one could not.
  record Migrated(ExecState state) implements Migration {}

  /// Why not, one sentence each.
  record Refused(List<String> reasons) implements Migration {
    public Refused {
      reasons = List.copyOf(reasons);
    }
  }

  /// What becomes of one part of a workflow in another version of it.
  ///
  /// @param what the kind and name of the part, such as `task ship`
  /// @param path where the old version has it; empty for a part that is new
  /// @param partner where the new version has it; empty if it has none
  /// @param why why it has none, or that it is new; empty if it has a partner
  record Part(String what, String path, String partner, String why) {
    /// Whether a case that is at this part can be moved, as far as the part decides.
    public boolean isKept() {
      return !partner.isEmpty() && !path.isEmpty();
    }
  }

  /// Compares two versions: every part that the state of a case can refer to, in the order of the
  /// old version, then the parts that are new. Throws `IllegalArgumentException` if the mapping
  /// names something that one of the versions does not have.
  static List<Part> parts(Program from, Program to, Mapping mapping) {
    List<String> unknown = unknownNames(from, to, mapping);
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", unknown));
    }
    return MigrationParts.of(from, to, mapping);
  }

  /// Moves a state to the program of a machine.
  static Migration plan(ExecState state, Machine to, Mapping mapping) {
    if (!state.isBlocked()) {
      String now = state.isDone() ? "has ended" : "is running";
      return new Refused(List.of("the case " + now + "; only a waiting case can be migrated"));
    }
    List<String> unknown = unknownNames(state.program, to.program, mapping);
    if (!unknown.isEmpty()) {
      return new Refused(unknown);
    }
    try {
      return move(state, to, mapping);
    } catch (IndexOutOfBoundsException | NullPointerException | IllegalStateException e) {
      throw Invariant.unfit(e);
    }
  }

  private static Migration move(ExecState state, Machine to, Mapping mapping) {
    List<String> own = new StateValidator(state).broken();
    if (!own.isEmpty()) {
      return new Refused(own.stream().map(each -> "before the migration, " + each).toList());
    }
    StateMigrator migrator = new StateMigrator(state, to, mapping);
    List<String> reasons = migrator.reasons();
    if (!reasons.isEmpty()) {
      return new Refused(reasons);
    }
    ExecState moved;
    try {
      moved = migrator.migrated();
    } catch (Decoder.DamagedBytes
        | IndexOutOfBoundsException
        | NullPointerException
        | Invariant.Broken e) {
      return new Refused(List.of("the state is not valid in the new version: " + e.getMessage()));
    }
    List<String> broken = new StateValidator(moved).broken();
    if (!broken.isEmpty()) {
      return new Refused(broken);
    }
    keepRequests(state, moved);
    return new Migrated(moved);
  }

  /// Gives the tasks that wait the requests their functions made, which no bytes carry.
  private static void keepRequests(ExecState state, ExecState moved) {
    if (state.effects == null) {
      return;
    }
    for (Token token : state.effects.inOrder()) {
      Token partner = moved.effects().get(token.id);
      Wait wait = token.wait;
      if (partner != null && partner.wait != null && wait != null) {
        partner.wait.spec = wait.spec;
      }
    }
  }

  /// Names in the mapping that one of the versions does not have: most likely misspelt.
  private static List<String> unknownNames(Program from, Program to, Mapping mapping) {
    List<String> unknown = new ArrayList<>();
    unknown(unknown, "task", mapping.tasks(), tasks(from), tasks(to));
    unknown(unknown, "scope", mapping.scopes(), scopes(from), scopes(to));
    unknown(unknown, "place", mapping.places(), places(from), places(to));
    unknown(unknown, "definition", mapping.definitions(), definitions(from), definitions(to));
    return unknown;
  }

  private static void unknown(
      List<String> unknown,
      String what,
      SortedMap<String, String> names,
      TreeSet<String> before,
      TreeSet<String> after) {
    names.forEach((from, to) -> {
      String text = "the mapping names " + what + " ";
      if (!before.contains(from)) {
        unknown.add(text + from + "; this version has none");
      }
      if (!after.contains(to)) {
        unknown.add(text + to + "; the new version has none");
      }
    });
  }

  private static TreeSet<String> tasks(Program program) {
    TreeSet<String> names = new TreeSet<>();
    for (Pool.Task task : program.pools().tasks()) {
      names.add(task.name());
    }
    return names;
  }

  private static TreeSet<String> scopes(Program program) {
    return new TreeSet<>(List.of(program.pools().names()));
  }

  private static TreeSet<String> places(Program program) {
    TreeSet<String> names = new TreeSet<>();
    for (Pool.PlaceSlot slot : program.pools().places()) {
      names.add(slot.place().name());
    }
    return names;
  }

  private static TreeSet<String> definitions(Program program) {
    TreeSet<String> names = new TreeSet<>();
    for (Pool.Entry entry : program.pools().entries()) {
      names.add(entry.name());
    }
    return names;
  }
}

package dev.damask.program;

import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.term.Attribute;
import dev.damask.term.Declared;
import dev.damask.term.Limits;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;

/// A compiled workflow: flat code, the pools its operands point to, a map back to the source, and
/// the tree of its constructs.
///
/// There are two images of one address space. `raw` is what the compiler emitted and what the hash
/// covers; `fast` is the optimised form, in which every raw address still holds an instruction that
/// does the same. So an address in a stored state is valid in both, and a better optimiser never
/// strands a case.
///
/// @param declared the attributes of cases, and what their input and result must be; the hash does
///   not cover it
public record Program(
    String name,
    String version,
    Mode mode,
    Context context,
    Limits limits,
    Image raw,
    Image fast,
    SourceMap source,
    ConstructTree constructs,
    ProgramHash hash,
    Declared declared) {
  /// Creates a program without attributes.
  public Program(
      String name,
      String version,
      Mode mode,
      Context context,
      Limits limits,
      Image raw,
      Image fast,
      SourceMap source,
      ConstructTree constructs,
      ProgramHash hash) {
    this(
        name,
        version,
        mode,
        context,
        limits,
        raw,
        fast,
        source,
        constructs,
        hash,
        Declared.NOTHING);
  }

  /// The values under which cases can be found.
  public List<Attribute> attributes() {
    return declared.attributes();
  }

  /// Code and what its operands point to.
  ///
  /// @param entry where a case starts
  @SuppressWarnings("ArrayRecordComponent") // programs are compared by hash, never by equals
  public record Image(int[] code, Pools pools, int entry) {}

  /// The pools of the raw image; names, places, tasks and units are the same in both.
  public Pools pools() {
    return raw.pools();
  }

  /// Everything operands point to.
  ///
  /// @param names scope and instance names, in order of appearance
  /// @param unitEnds for each unit (the case, a set of instances, a definition) the last unit
  ///   written inside it; units are numbered in the order they are written
  /// @param unitsOfName for each name the sorted units in which a region of that name is
  /// @param loopSlots how many counters the deepest nest of count loops needs
  /// @param stamps whether a graph join makes write stamps necessary
  /// @param passings by address the calls that pass arguments or name their result
  @SuppressWarnings("ArrayRecordComponent") // programs are compared by hash, never by equals
  public record Pools(
      Pool.Task[] tasks,
      Pool.Fork[] forks,
      Pool.Choice[] choices,
      Guard[] guards,
      Expression[] expressions,
      Pool.Region[] regions,
      Pool.Instances[] instances,
      Pool.Await[] awaits,
      Pool.Emission[] emissions,
      Pool.Kill[] kills,
      Pool.Entry[] entries,
      Pool.Net[] nets,
      Pool.Processes[] processes,
      Pool.Run[] runs,
      Pool.PlaceSlot[] places,
      String[] names,
      int[] unitEnds,
      int[][] unitsOfName,
      int loopSlots,
      boolean stamps,
      Map<Integer, Pool.Passing> passings) {
    /// Whether some join asks which branch wrote a key.
    public boolean tracksWrites() {
      if (stamps) {
        return true;
      }
      for (Pool.Fork fork : forks) {
        if (fork.policy() != null && fork.policy().merge() != Merge.Standard.OVERLAY) {
          return true;
        }
      }
      return false;
    }

    /// Returns the number of places of the case and of all definitions.
    public int placeCount() {
      return places.length;
    }
  }

  /// Whether the text of a unit contains a region or set of instances of a name.
  public boolean unitContains(int unit, int name) {
    int[] units = pools().unitsOfName[name];
    int at = java.util.Arrays.binarySearch(units, unit);
    int next = at >= 0 ? at : -at - 1;
    return next < units.length && units[next] <= pools().unitEnds[unit];
  }

  /// The index of a scope or instance name, or -1.
  public int nameIndex(String text) {
    for (int i = 0; i < pools().names.length; i++) {
      if (pools().names[i].equals(text)) {
        return i;
      }
    }
    return -1;
  }

  /// The index of a place of the case, or -1.
  public int placeIndex(String text) {
    for (int i = 0; i < pools().places.length; i++) {
      Pool.PlaceSlot slot = pools().places[i];
      if (slot.definition() < 0 && slot.place().name().equals(text)) {
        return i;
      }
    }
    return -1;
  }

  @Override
  public String toString() {
    return name + "@" + hash;
  }
}

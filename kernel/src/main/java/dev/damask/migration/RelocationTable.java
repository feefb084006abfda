package dev.damask.migration;

import dev.damask.event.Mapping;
import dev.damask.program.Code;
import dev.damask.program.ConstructTree.Construct;
import dev.damask.program.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The relocation from one version of a workflow to another, found by matching their constructs.
///
/// It is defined for the constructs that have a partner in the new version. The caller checks with
/// [#partner] that everything a state refers to has one, before it reads the state.
public final class RelocationTable implements Relocation {
  private final Program from;
  private final Program to;
  private final Mapping mapping;
  private final ConstructMatcher matcher;
  private final int[] oldPlaces;
  private final List<String> merged = new ArrayList<>();

  /// Creates the relocation for a state of one program that another one reads.
  public RelocationTable(Program from, Program to, Mapping mapping) {
    this.from = from;
    this.to = to;
    this.mapping = mapping;
    this.matcher = new ConstructMatcher(from, to, mapping);
    this.oldPlaces = new int[to.pools().placeCount()];
    Arrays.fill(oldPlaces, -1);
    ConstructNames words = new ConstructNames(from, Mapping.NONE);
    for (int i = 0; i < from.pools().placeCount(); i++) {
      int place = matcher.place(i);
      if (place < 0) {
        continue;
      }
      if (oldPlaces[place] >= 0) {
        merged.add(words.place(oldPlaces[place]) + " and " + words.place(i));
      }
      oldPlaces[place] = i;
    }
  }

  /// Returns the matcher that found the partners.
  public ConstructMatcher matcher() {
    return matcher;
  }

  /// Returns the pairs of old places that would become one place, such as `a and b`.
  public List<String> merged() {
    return List.copyOf(merged);
  }

  /// Returns the partner of a construct, or null if it has none.
  public @Nullable Construct partner(Construct part) {
    return matcher.partner(part).part();
  }

  @Override
  public Program source() {
    return from;
  }

  @Override
  public Mapping names() {
    return mapping;
  }

  @Override
  public int index(int operation, int index) {
    return operation == Code.CALL
        ? matcher.definition(index)
        : known(from.constructs().of(operation, index)).operand();
  }

  @Override
  public int address(int address) {
    return from.raw().code()[address] == Code.ARRIVE
        ? arrival(address)
        : known(from.constructs().at(address)).address();
  }

  @Override
  public int place(int place) {
    return oldPlaces[place];
  }

  private Construct known(Construct part) {
    return Objects.requireNonNull(partner(part));
  }

  /// The instruction that sends tokens along the same arc. Where an arc is written several times,
  /// the token stays with the occurrence it came by.
  private int arrival(int address) {
    int[] code = from.raw().code();
    int[] newCode = to.raw().code();
    int net = index(Code.NET_ENTER, code[address + 1]);
    int arc = code[address + 2];
    int nth = 0;
    for (int at = 0; at < address; at += Code.length(code[at])) {
      nth += isArrival(code, at, code[address + 1], arc) ? 1 : 0;
    }
    int found = 0;
    for (int at = 0; at < newCode.length && nth >= 0; at += Code.length(newCode[at])) {
      if (isArrival(newCode, at, net, arc)) {
        found = at;
        nth--;
      }
    }
    return found;
  }

  private static boolean isArrival(int[] code, int at, int net, int arc) {
    return code[at] == Code.ARRIVE && code[at + 1] == net && code[at + 2] == arc;
  }
}

package dev.damask.migration;

import dev.damask.event.Mapping;
import dev.damask.program.Program;

/// Where the addresses and pool indexes of a stored state are in the program that reads it.
///
/// A state is written in the numbers of one program, its source. The reader asks the relocation for
/// each of them. Bytes whose layout depends on the program (how many counters, places and stamps
/// they hold) are read by the source.
public interface Relocation {
  /// Returns the program that wrote the state.
  Program source();

  /// Returns the names of the source that the reading program calls by other names.
  Mapping names();

  /// Returns the entry that a pool of the reading program has for an entry of the source.
  ///
  /// @param operation the instruction whose operand the index is, such as `Code.CALL`
  int index(int operation, int index);

  /// Returns the address that a token of the source has in the reading program.
  int address(int address);

  /// Returns the place of the source that becomes a place of the reading program, or -1 if that
  /// place is new.
  int place(int place);

  /// Returns the relocation for a state that its own program reads: every number stays.
  static Relocation none(Program program) {
    return new None(program);
  }

  /// Keeps every number.
  record None(Program source) implements Relocation {
    @Override
    public Mapping names() {
      return Mapping.NONE;
    }

    @Override
    public int index(int operation, int index) {
      return index;
    }

    @Override
    public int address(int address) {
      return address;
    }

    @Override
    public int place(int place) {
      return place;
    }
  }
}

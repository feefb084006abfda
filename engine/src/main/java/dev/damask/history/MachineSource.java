package dev.damask.history;

import dev.damask.event.Scheduler;
import dev.damask.event.Tracer;
import dev.damask.exec.Machine;
import dev.damask.program.ProgramHash;
import org.jspecify.annotations.Nullable;

/// Creates machines for the programs of a case.
@FunctionalInterface
@SuppressWarnings("exports") // the machine is for our own modules
public interface MachineSource {
  /// Returns a machine. Throws `IllegalStateException` if the program is missing.
  ///
  /// @param tracer null for none
  Machine machine(ProgramHash program, Scheduler scheduler, @Nullable Tracer tracer);
}

package dev.damask.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.damask.verify.pnml.PnmlProblem;
import dev.damask.verify.pnml.PnmlReader;

/// Nets in PNML: read, or refused with a `PnmlProblem` and nothing else.
class NetFuzzTest {
  private static final Quickly QUICKLY = new Quickly();

  @FuzzTest
  void nets(byte[] data) {
    QUICKLY.run(() -> {
      try {
        PnmlReader.read("n.pnml", data);
      } catch (PnmlProblem expected) {
        // refused
      }
    });
  }
}

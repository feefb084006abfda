package dev.damask.crash;

import dev.damask.cases.Engine;
import dev.damask.linear.CaseCall;
import dev.damask.linear.CaseClient;
import dev.damask.linear.CaseModel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// The process under test: an engine on a folder. Each line of its standard input is a call, each
/// line of its standard output an answer; both begin with the number of the call.
final class Worker {
  static final String READY = "ready";
  static final String VERIFIED = "verified";

  /// Leaves open whether the call happened.
  static final String NO_ANSWER = "!";

  private final Engine engine;
  private final CaseClient asking;
  private final PrintStream out;

  private Worker(Engine engine, PrintStream out) {
    this.engine = engine;
    this.asking = CaseClient.of(engine);
    this.out = out;
  }

  /// Serves until its standard input ends.
  ///
  /// @param arguments the folder of the store, and the port of the witness
  public static void main(String[] arguments) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    long before = System.nanoTime();
    try (Engine engine =
        Engine.open(
            Paying.calling(CaseClient.options(), Integer.parseInt(arguments[1])),
            Path.of(arguments[0]),
            CaseModel.workflow(),
            Paying.workflow())) {
      long openMicros = (System.nanoTime() - before) / 1_000;
      Worker worker = new Worker(engine, out);
      out.println(READY + " " + openMicros);
      long calls = 0;
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String call = line;
        // A platform thread may move the case itself; a virtual thread always queues its request.
        boolean isPlatform = ++calls % 4 != 0;
        (isPlatform ? Thread.ofPlatform() : Thread.ofVirtual()).start(() -> worker.answer(call));
      }
    }
    System.exit(0);
  }

  private void answer(String line) {
    String[] parts = line.split(" ", 4);
    String answer;
    try {
      answer = perform(parts[1], parts[2], parts[3]);
    } catch (RuntimeException | InterruptedException e) {
      answer = NO_ANSWER + " " + e;
    }
    out.println(parts[0] + " " + answer.replace('\n', ' '));
  }

  private String perform(String kind, String caseId, String words) throws InterruptedException {
    return switch (kind) {
      case "asking" -> asking.perform(caseId, CaseCall.parse(words));
      case "paying" -> Paying.perform(engine, caseId, words);
      case "verify" -> VERIFIED + " " + engine.verify();
      default -> throw new IllegalArgumentException("nobody asks for " + kind);
    };
  }
}

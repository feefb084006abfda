package dev.damask.program;

import dev.damask.program.Rule.Tokens;
import java.util.List;

/// One instruction in readable form. A program stores instructions packed as ints; a listing, a
/// trace and the reference page show them through these records.
///
/// The order of the records is the numbering of [Code].
public sealed interface Opcode {
  /// Marks where a sequence begins.
  @Rule(value = "SEQ-ENTER", administrative = true)
  record SeqEnter() implements Opcode {}

  /// Goes on at the target: the next part of a sequence, or the end of a choice.
  @Rule(value = "SEQ-NEXT", administrative = true)
  record SeqNext(Ip target) implements Opcode {}

  /// Runs a task function on the token's context.
  @Rule("TASK-EXEC")
  record TaskExec(String task) implements Opcode {}

  /// Asks for an effect and parks the token until its result comes.
  @Rule("TASK-EFFECT")
  record EffectYield(String task) implements Opcode {}

  /// Retires the token and starts one token per selected target, each in a branch of a new block;
  /// without a join, inside a graph, in the same frame.
  @Rule(value = "PAR-FORK", tokens = Tokens.FORKS)
  record ParFork(List<Ip> targets, List<String> guards, String join) implements Opcode {}

  /// Where the token of a fired join continues; tokens do not wait on it.
  @Rule(value = "JOIN-WAIT", administrative = true)
  record JoinWait(String join) implements Opcode {}

  /// Goes to the first target whose guard is true, or to the one the scheduler picks.
  @Rule("XOR-CHOOSE")
  record XorChoose(List<Ip> targets, List<String> guards) implements Opcode {}

  /// Enters the body of a loop once more, or leaves it.
  @Rule("LOOP-CHECK")
  record LoopCheck(String policy, Ip exit) implements Opcode {}

  /// Goes back to the head of a loop.
  @Rule(value = "LOOP-BACK", administrative = true)
  record LoopBack(Ip head) implements Opcode {}

  /// Opens or leaves an activation of a cancel scope.
  @Rule(value = "CANCEL-SCOPE", tokens = Tokens.KEEPS)
  record CancelScope(String side, String name, List<String> options) implements Opcode {}

  /// Retires the token and starts the instances of a body.
  @Rule(value = "MI-SPAWN", tokens = Tokens.MOVES)
  record MiSpawn(String name, List<String> options, Ip exit) implements Opcode {}

  /// Waits for the first alternative that is enabled.
  @Rule("AWAIT")
  record Await(List<String> alternatives, List<Ip> targets) implements Opcode {}

  /// Puts one token on a place, or adds to or closes a set of instances.
  @Rule(value = "EMIT", tokens = Tokens.MOVES)
  record Emit(String place, List<String> payload) implements Opcode {}

  /// Ends open activations of a name: all in the unit, or with `break` the one around the token.
  @Rule(value = "KILL", tokens = Tokens.MOVES)
  record Kill(String name, String outcome) implements Opcode {}

  /// Opens a frame and runs a definition in it.
  @Rule("CALL")
  record Call(String definition, Ip entry, String passing) implements Opcode {}

  /// Leaves the definition and continues after the call.
  @Rule("RET")
  record Ret() implements Opcode {}

  /// Opens the frame of a graph.
  @Rule("NET-ENTER")
  record NetEnter(String mode, List<String> nodes) implements Opcode {}

  /// Moves the token along an arc: into the body of a node, or onto the queue of its join.
  @Rule(value = "ARRIVE", tokens = Tokens.MOVES)
  record Arrive(String source, String node) implements Opcode {}

  /// Where the token that leaves a graph continues.
  @Rule(value = "NET-END", administrative = true)
  record NetEnd() implements Opcode {}

  /// Ends a branch, an instance, a thread of a graph, or the case: the token's frame decides which.
  @Rule(value = "DONE", tokens = Tokens.MOVES)
  record Done() implements Opcode {}

  /// Opens the frame of process instances and starts the first process.
  @Rule(value = "GROUP-ENTER", tokens = Tokens.FORKS)
  record GroupEnter(List<String> steps) implements Opcode {}

  /// Lets a process begin its step, or holds it until its time, its join and its release have come.
  @Rule("STEP-GATE")
  record StepGate(String step) implements Opcode {}

  /// Ends a process: starts the children of its branch and delivers to the join of its group.
  @Rule(value = "SPAWN", tokens = Tokens.MOVES)
  record Spawn(String step, String onValid, String onInvalid) implements Opcode {}

  /// Optimised code only: runs several task functions one after another.
  @Rule("TASK-EXEC")
  record TaskRun(List<String> tasks, Ip next) implements Opcode {}

  /// The name in listings, traces and prose: `ParFork` is `PAR_FORK`.
  default String mnemonic() {
    return Code.mnemonic(getClass());
  }
}

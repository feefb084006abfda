package dev.damask.document;

import dev.damask.document.ValueRule.Anything;
import dev.damask.document.ValueRule.Either;
import dev.damask.document.ValueRule.Flag;
import dev.damask.document.ValueRule.Formula;
import dev.damask.document.ValueRule.ListOf;
import dev.damask.document.ValueRule.MapOf;
import dev.damask.document.ValueRule.Name;
import dev.damask.document.ValueRule.Numeral;
import dev.damask.document.ValueRule.Shaped;
import dev.damask.document.ValueRule.TermOr;
import dev.damask.document.ValueRule.TermRule;
import dev.damask.document.ValueRule.Text;
import dev.damask.document.ValueRule.Time;
import dev.damask.document.ValueRule.Whole;
import dev.damask.document.ValueRule.Words;
import dev.damask.document.ValueRule.Yes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The table of everything that is allowed in a document. The reader checks against it and the JSON
/// Schema is generated from it, so the two always agree.
final class Grammar {
  private static final ValueRule NAME = new Name();
  private static final ValueRule TEXT = new Text();
  private static final ValueRule FORMULA = new Formula();
  private static final ValueRule TIME = new Time();
  private static final ValueRule FLAG = new Flag();
  private static final ValueRule TERM = new TermRule();
  private static final ValueRule ANY = new Anything();
  private static final ValueRule NAMES = new ListOf(NAME, 1);
  private static final ValueRule FORMULAS = new MapOf(FORMULA);
  private static final ValueRule VALUES = new MapOf(ANY);
  private static final ValueRule MODE = words("implicit", "explicit");
  private static final ValueRule NAME_OR_NAMES = either(NAME, NAMES);

  private Grammar() {}

  private static ValueRule words(String... words) {
    return new Words(List.of(words));
  }

  private static ValueRule either(ValueRule... rules) {
    return new Either(List.of(rules));
  }

  private static ValueRule whole(long min) {
    return new Whole(min, Integer.MAX_VALUE);
  }

  private static final ObjectRule EFFECT =
      ObjectRule.of("effect", "The request to an external system.")
          .may(
              "type", NAME, "The effect type, which selects the handler. Default: the task's name.")
          .may("with", VALUES, "The payload; strings may contain ${EXPR}.");

  private static final ObjectRule RETRY =
      ObjectRule.of("retry", "The retries of a failing effect.")
          .must("max", whole(1), "The number of attempts, including the first.")
          .may("delay", TIME, "The delay before the second attempt.")
          .may("except", NAMES, "The reasons that are not retried.")
          .may("backoff", new Numeral(), "The factor by which the delay grows after each attempt.")
          .may("jitter", new Numeral(), "The random part of the delay, between 0 and 1.")
          .may(
              "on",
              words("notSent"),
              "Retries only if the handler reports that the request was not sent.");

  static final ObjectRule BRANCH =
      ObjectRule.of("branch", "One branch of a choice.")
          .may("when", FORMULA, "The condition.")
          .may("do", TERM, "The body.")
          .may("else", TERM, "The body if no condition is true.")
          .exactlyOne("do", "else");

  private static final ValueRule MERGE =
      either(
          words("last", "first", "fail", "collect", "overlay"),
          new Shaped(
              ObjectRule.of("collectedKeys", "Keys that always become lists.")
                  .must("collect", NAMES, "The keys; other keys are merged as with last.")));

  private static final ObjectRule JOIN_POLICY =
      ObjectRule.of("joinPolicy", "When the join completes.")
          .may(
              "need",
              either(new Whole(0, 10_000), words("all", "sync")),
              "The number of branches that must complete.")
          .may("rest", words("drain", "cancel"), "What happens to the other branches.")
          .may("short", words("abort", "shrink"), "What happens when too few branches are left.")
          .may("merge", MERGE, "How the contexts of branches are merged.")
          .may(
              "policy",
              either(
                  words("all", "sync_merge", "first_complete"),
                  new Shaped(
                      ObjectRule.of("namedPolicy", "A policy with numbers.")
                          .may("first_n", whole(1), "The first n branches.")
                          .may("n_of_m", new ListOf(whole(1), 2), "n of exactly m branches.")
                          .exactlyOne("first_n", "n_of_m"))),
              "A name for a set of parameters.");

  private static final ObjectRule LOOP_POLICY =
      ObjectRule.of("loopPolicy", "When the loop runs another round.")
          .may("while", FORMULA, "Tested before the body.")
          .may("until", FORMULA, "Tested after the body.")
          .may("count", FORMULA, "The number of rounds.")
          .exactlyOne("while", "until", "count");

  private static final ObjectRule ALTERNATIVE =
      ObjectRule.of("alternative", "One alternative of a wait.")
          .may("take", NAME_OR_NAMES, "The places that must hold a token, which is removed.")
          .may("test", NAME_OR_NAMES, "The places that must hold a token, which stays.")
          .may("after", TIME, "The time that must pass.")
          .may("expired", TERM, "The body if no alternative can occur any more.")
          .may("do", TERM, "The body.")
          .exactlyOne("take", "test", "after", "expired");

  private static final ObjectRule ARC =
      ObjectRule.of("arc", "A guarded arc to a node.")
          .may("when", FORMULA, "The condition.")
          .may("to", NAME, "The node, or end.")
          .may("else", NAME, "The node if no condition is true.")
          .exactlyOne("to", "else");

  private static final ValueRule ARCS = new ListOf(new Shaped(ARC), 1);

  private static final ValueRule SPLIT =
      either(
          NAME,
          new Shaped(
              ObjectRule.of("split", "Where tokens go.")
                  .may("and", new ListOf(NAME, 2), "One token to each.")
                  .may("xor", ARCS, "Along the first arc whose condition is true.")
                  .may("or", ARCS, "Along every arc whose condition is true.")
                  .may("copies", new Whole(1, 10_000), "The number of tokens.")
                  .may("to", NAME, "The target of the copies.")
                  .exactlyOne("and", "xor", "or", "copies")));

  private static final ObjectRule NODE_JOIN =
      ObjectRule.of("nodeJoin", "How arriving tokens become one.")
          .may("and", either(NAMES, new MapOf(whole(1))), "One token, or a number, of each source.")
          .may("or", NAMES, "One token of every source that can still deliver.")
          .may("kof", whole(1), "The number of sources that must deliver.")
          .may("from", NAMES, "The sources of kof.")
          .may("block", FLAG, "Resets only when every source has delivered.")
          .may("cancel", new ListOf(NAME, 0), "The nodes to cancel when it fires.")
          .may("short", words("abort"), "Abandons the join when it cannot be satisfied.")
          .exactlyOne("and", "or", "kof");

  private static final ObjectRule NODE =
      ObjectRule.of("node", "A node of a graph.")
          .may(
              "join",
              new Shaped(NODE_JOIN),
              "The join. Default: every token runs the body separately.")
          .may("do", TERM, "The body. Default: none.")
          .must("then", SPLIT, "Where its tokens go.");

  private static final ObjectRule NET =
      ObjectRule.of("net", "Nodes and arcs.")
          .may("mode", MODE, "When the graph ends.")
          .may("merge", words("newest", "overlay"), "How contexts are merged at joins.")
          .must("start", SPLIT, "Where the first tokens go.")
          .must("nodes", new MapOf(new Shaped(NODE)), "The nodes by id.");

  /// The shapes of terms by their leading key, in the order in which keys are tested.
  static final Map<String, ObjectRule> TERMS = terms();

  private static Map<String, ObjectRule> terms() {
    Map<String, ObjectRule> terms = new LinkedHashMap<>();
    for (ObjectRule shape :
        List.of(
            ObjectRule.of("task", "A task: an effect, or a pure task if it has set.")
                .must("task", NAME, "Its name.")
                .may("set", FORMULAS, "Keys and their new values; makes the task pure.")
                .may("effect", new Shaped(EFFECT), "The request to an external system.")
                .may("key", FORMULA, "The idempotency key.")
                .may(
                    "delivery",
                    words("keyed", "atMostOnce", "read", "exactlyOnce"),
                    "The delivery guarantee of the effect.")
                .may("timeout", TIME, "The maximum duration of one attempt.")
                .may("retry", new Shaped(RETRY), "The retries of a failing attempt.")
                .may(
                    "onExhausted",
                    words("fail", "park"),
                    "After the last attempt the task fails, or waits for an operator.")
                .may("undo", TERM, "The compensation of the task.")
                .may("result", NAME, "The key that receives the whole result.")
                .may(
                    "output",
                    either(VALUES, FLAG),
                    "A JSON Schema for the result that a person, a program or a worker returns.")
                .may("cost", new Numeral(), "The cost of one call.")
                .may("description", TEXT, "For people."),
            ObjectRule.of("set", "Writes keys.")
                .must("set", FORMULAS, "Keys and their new values.")
                .may("description", TEXT, "For people."),
            ObjectRule.of("skip", "Does nothing.").must("skip", new Yes(), "Always true."),
            ObjectRule.of("fail", "Fails.").must("fail", NAME, "The reason."),
            ObjectRule.of("seq", "One after another.")
                .must("seq", new ListOf(TERM, 1), "The parts."),
            ObjectRule.of("par", "Runs branches in parallel and waits for all.")
                .must("par", new ListOf(TERM, 2), "The branches.")
                .may("merge", MERGE, "How the contexts of branches are merged."),
            ObjectRule.of("xor", "Runs one branch.")
                .must("xor", new ListOf(new Shaped(BRANCH), 1), "The branches."),
            ObjectRule.of("join", "Starts branches and continues when enough have completed.")
                .must("join", new Shaped(JOIN_POLICY), "When the join completes.")
                .must("branches", new ListOf(new TermOr(BRANCH), 1), "The branches."),
            ObjectRule.of("loop", "Repeats.")
                .must("loop", new Shaped(LOOP_POLICY), "When the loop runs another round.")
                .must("do", TERM, "The body."),
            ObjectRule.of("defer", "Waits for the first of several alternatives.")
                .must("defer", new ListOf(new Shaped(ALTERNATIVE), 1), "The alternatives."),
            ObjectRule.of("take", "Waits for a token.").must("take", NAME_OR_NAMES, "The place."),
            ObjectRule.of("cancel", "A scope that can be cancelled.")
                .must("cancel", NAME, "Its name.")
                .may("holding", NAMES, "The places of which the scope holds a token while it runs.")
                .may("marking", NAME, "The place that is marked while it is open.")
                .may("timeout", TIME, "The maximum duration of the scope.")
                .may("onTimeout", TERM, "The body after a timeout.")
                .may("catch", TERM, "The body after a failure.")
                .may("undo", FLAG, "Whether completed tasks are undone.")
                .may("allow", new ListOf(NAME, 0), "The effect types allowed inside.")
                .may("notify", NAME, "The engine's listener that is notified of a cancellation.")
                .must("do", TERM, "The body."),
            ObjectRule.of("mi", "Several instances of a body.")
                .must("mi", NAME, "Its name.")
                .must("count", FORMULA, "The number of instances, or the list of items.")
                .may("min", whole(0), "The minimum number of instances.")
                .may("max", whole(0), "The maximum number of instances.")
                .may(
                    "open",
                    either(FLAG, words("untilClosed")),
                    "Whether instances can be added, and whether it stays open until it is closed.")
                .may("need", FORMULA, "All, a number, or a condition on done, total, results.")
                .may("rest", words("drain", "cancel"), "What happens to the other instances.")
                .may("collect", NAME, "The key whose values are collected.")
                .must("do", TERM, "The body."),
            ObjectRule.of("emit", "Puts a token on a place.")
                .must("emit", NAME, "The place, or m.add or m.close.")
                .may("with", FORMULAS, "The payload."),
            ObjectRule.of("kill", "Ends a scope.")
                .must("kill", NAME, "The scope, or case.")
                .may("as", words("complete"), "As if it had completed."),
            ObjectRule.of("break", "Ends the enclosing scope with the data of this token.")
                .must("break", NAME, "The scope, or case."),
            ObjectRule.of("milestone", "A scope that marks a place while it is open.")
                .must("milestone", NAME, "The place, and the name of the scope.")
                .must("do", TERM, "The body."),
            ObjectRule.of("during", "Waits until a milestone is open or can no longer be open.")
                .must("during", NAME, "The place.")
                .must("do", TERM, "The body while the place is marked.")
                .may("else", TERM, "The body if the place can no longer be marked."),
            ObjectRule.of("call", "Runs a definition.")
                .must("call", NAME, "Its name.")
                .may("with", FORMULAS, "Its context. Default: the caller's.")
                .may("result", NAME, "The key that receives its whole context at the end."),
            ObjectRule.of("child", "Runs another workflow as a child case.")
                .must("child", NAME, "The name of the workflow, and of the task.")
                .may("id", FORMULA, "The id of the child case. Default: derived by the engine.")
                .may("with", FORMULAS, "The input of the child. Default: the context.")
                .may(
                    "result",
                    NAME,
                    "The key that receives the child's whole context at the end, or the id of a"
                        + " detached child.")
                .may("detached", FLAG, "Whether the task does not wait for the child.")
                .may("description", TEXT, "For people."),
            ObjectRule.of("graph", "A net of nodes.").must("graph", new Shaped(NET), "The net."))) {
      terms.put(shape.name(), shape);
    }
    return terms;
  }

  private static final ObjectRule PLACE =
      ObjectRule.of("place", "A queue of tokens.")
          .may("external", FLAG, "Whether signals are accepted.")
          .may(
              "lifetime",
              words("persistent", "transient"),
              "Whether tokens stay until they are taken.")
          .may("init", new Whole(0, 1_000), "The initial number of tokens.")
          .may("input", either(VALUES, FLAG), "A JSON Schema for the payload of a signal.");

  private static final ValueRule PLACES = new MapOf(new Shaped(PLACE));

  private static final ObjectRule SCHEDULE =
      ObjectRule.of("schedule", "When cases of the workflow start by themselves.")
          .may("cron", TEXT, "Five fields: minute, hour, day, month, weekday.")
          .may("zone", NAME, "The time zone of cron, such as Europe/Berlin. Default: UTC.")
          .may("every", TIME, "A fixed interval.")
          .may(
              "overlap",
              words("skip", "queue", "allow", "replace"),
              "What happens if the last case still runs. Default: skip.")
          .may(
              "catchUp",
              either(
                  words("none", "last"),
                  new Shaped(
                      ObjectRule.of("catchUp", "All missed times that are not too old.")
                          .must("within", TIME, "The age."))),
              "What happens with missed times. Default: last.")
          .may("with", VALUES, "The initial context of its cases.")
          .exactlyOne("cron", "every");

  static final ObjectRule DEFINITION =
      ObjectRule.of("definition", "A body with its own places.")
          .may("places", PLACES, "Its places.")
          .must("do", TERM, "Its body.");

  static final ObjectRule LIMITS =
      ObjectRule.of("limits", "The limits of a case.")
          .may("nodes", whole(1), "The maximum number of nodes of the term.")
          .may("branches", whole(1), "The maximum number of branches of a fork.")
          .may("callDepth", whole(1), "The maximum depth of calls.")
          .may("instances", whole(1), "The maximum number of instances of one mi.")
          .may("openEffects", whole(1), "The maximum number of open effects.")
          .may("placeTokens", whole(1), "The maximum number of tokens on one place.")
          .may("contextBytes", whole(1), "The maximum size of an encoded context.")
          .may(
              "bufferedBytes",
              whole(1),
              "The maximum size of the signals buffered on external places.")
          .may("resultBytes", whole(1), "The maximum size of an effect's result.")
          .may("steps", new Whole(1, Long.MAX_VALUE), "The maximum number of steps of one case.")
          .may("quantum", whole(1), "The maximum number of steps before another case runs.")
          .may("time", TIME, "The maximum duration of a case.");

  private static final ValueRule PAIR = new ListOf(NAME, 2);

  private static final ObjectRule ASSERTION =
      ObjectRule.of("assertion", "A property that the checker proves.")
          .may("neverBefore", PAIR, "The first never happens before the second.")
          .may("atMostOnce", NAME, "It happens at most once.")
          .may("leadsTo", PAIR, "After the first, the second happens eventually.")
          .may("neverTogether", PAIR, "They never run at the same time.")
          .may(
              "mayEnd",
              new ListOf(words("cancelled", "failed"), 1),
              "The statuses, besides completed, with which the workflow may end a case.")
          .exactlyOne("neverBefore", "atMostOnce", "leadsTo", "neverTogether", "mayEnd");

  static final ObjectRule WORKFLOW =
      ObjectRule.of("workflow", "A workflow.")
          .must("workflow", NAME, "Its name.")
          .may("version", either(TEXT, new Numeral()), "For people.")
          .may("description", TEXT, "For people.")
          .may("mode", MODE, "When a case ends.")
          .may("input", either(VALUES, FLAG), "A JSON Schema for the context of a start.")
          .may(
              "output",
              either(VALUES, FLAG),
              "A JSON Schema for the context at the end; a result that does not fit fails the"
                  + " case.")
          .may("attributes", FORMULAS, "The values under which cases can be found.")
          .may("redact", NAMES, "The keys whose values viewers of a server do not see.")
          .may("context", VALUES, "The initial context.")
          .may("places", PLACES, "The places.")
          .may("schedule", new Shaped(SCHEDULE), "When cases start by themselves.")
          .may("definitions", new MapOf(new TermOr(DEFINITION)), "Bodies for call.")
          .may("limits", new Shaped(LIMITS), "The limits of a case.")
          .may(
              "assert", new ListOf(new Shaped(ASSERTION), 0), "Properties that the checker proves.")
          .must("do", TERM, "The body.");

  static final ObjectRule STEP =
      ObjectRule.of("step", "An external event and the expected observations.")
          .may("start", new Yes(), "The case starts.")
          .may("done", NAME, "A task completes.")
          .may("fail", NAME, "A task fails.")
          .may("reason", TEXT, "The failure reason.")
          .may("retry", NAME, "Retries a task that is an incident.")
          .may("signal", NAME, "Sends a signal to an external place.")
          .may("cancel", NAME, "Cancels a scope, or case.")
          .may("complete", NAME, "Completes a scope, or case.")
          .may("cancelTask", NAME, "Cancels one task.")
          .may("add", NAME, "Adds an instance.")
          .may("item", ANY, "The item of the added instance.")
          .may("close", NAME, "Closes a set of instances.")
          .may("advance", TIME, "Advances the time.")
          .may("set", VALUES, "The data of done or signal.")
          .may(
              "choices",
              new ListOf(new ListOf(whole(0), 1), 1),
              "The choices of the case: the number of the token that moves, then its answers.")
          .may("see", new ListOf(TEXT, 0), "The expected observations.")
          .may(
              "reply",
              words("lost", "buffered", "rejected", "late", "noSuchRegion", "caseEnded"),
              "The expected reply of the engine.")
          .exactlyOne(
              "start",
              "done",
              "fail",
              "retry",
              "signal",
              "cancel",
              "complete",
              "cancelTask",
              "add",
              "close",
              "advance");

  private static final ObjectRule END =
      ObjectRule.of("end", "The expected state at the end.")
          .may(
              "status",
              words("completed", "cancelled", "failed", "waiting", "deadlocked"),
              "The status.")
          .may("reason", TEXT, "The failure reason.")
          .may("never", new ListOf(NAME, 0), "Tasks that never ran.")
          .may("count", new MapOf(whole(0)), "The number of runs of tasks.")
          .may("context", VALUES, "Keys and their values.")
          .may("attributes", VALUES, "Attributes and their values; null for none.");

  static final ObjectRule SCENARIO =
      ObjectRule.of("scenario", "A test of a workflow.")
          .must("scenario", NAME, "Its name.")
          .may("title", TEXT, "The title, for people.")
          .must("workflow", either(NAME, new Shaped(WORKFLOW)), "The workflow, or its file.")
          .may("with", VALUES, "The caller's context.")
          .may("order", words("strict"), "Compares observations as lists.")
          .must("steps", new ListOf(new Shaped(STEP), 1), "The steps.")
          .may("end", new Shaped(END), "The expected state at the end.");

  static final ValueRule EVENTS = new ListOf(new Shaped(STEP), 0);
}

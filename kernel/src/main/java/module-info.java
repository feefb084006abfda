/// The kernel: workflows as data, their compiler, and the one machine that runs them.
@org.jspecify.annotations.NullMarked
module dev.damask.kernel {
  requires static transitive org.jspecify;

  exports dev.damask.task;
  exports dev.damask.term;
  exports dev.damask.trace;
  exports dev.damask.check;
  exports dev.damask.compile;
  exports dev.damask.exec;
  exports dev.damask.program;
  exports dev.damask.schedule;
}

/// The kernel: workflows as data, their compiler, and the one machine that runs them.
@org.jspecify.annotations.NullMarked
module dev.damask.kernel {
  requires static transitive org.jspecify;

  exports dev.damask.value;
  exports dev.damask.task;
  exports dev.damask.term;
  exports dev.damask.trace;
  exports dev.damask.check;
  exports dev.damask.compile;
  exports dev.damask.description;
  exports dev.damask.event;
  exports dev.damask.program;
  exports dev.damask.schedule;

  // The machine and its state: for our own modules only.
  exports dev.damask.exec to
      dev.damask.cli,
      dev.damask.document,
      dev.damask.engine,
      dev.damask.orchestration,
      dev.damask.scenario,
      dev.damask.server,
      dev.damask.simulator,
      dev.damask.store.postgres,
      dev.damask.store.rocksdb,
      dev.damask.testkit,
      dev.damask.verify;
}

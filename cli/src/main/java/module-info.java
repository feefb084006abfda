/// The command line.
@org.jspecify.annotations.NullMarked
module dev.damask.cli {
  requires static transitive org.jspecify;
  requires dev.damask.drawing;
  requires dev.damask.engine;
  requires dev.damask.orchestration;
  requires dev.damask.testkit;
  requires dev.damask.verify;
  requires info.picocli;
  requires tools.jackson.core;

  uses dev.damask.store.StoreProvider;

  opens dev.damask.cli to
      info.picocli;
}

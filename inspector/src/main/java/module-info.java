/// The inspector: the static files of the web page that a Damask server shows.
@org.jspecify.annotations.NullMarked
module dev.damask.inspector {
  requires static org.jspecify;

  exports dev.damask.inspector;
}

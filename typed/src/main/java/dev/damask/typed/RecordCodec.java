package dev.damask.typed;

import dev.damask.value.StructValue;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The codec of a record: a map with one entry per component. Components are read and records are
/// made by method handles.
///
/// A decoded record stays beside its encoded form as long as that is in memory.
final class RecordCodec implements Codec {
  /// The entry that names the record among those of a sealed interface.
  static final String TAG = "$type";

  private final Class<?> type;
  private final String tag; // empty outside of sealed interfaces
  private final String[] names;
  private final MethodHandle[] accessors;
  private final MethodHandle constructor;
  private final int[] positions; // of each component among the sorted names
  private final int tagPosition;
  private final StructValue.Maker maker;
  private Codec[] components = new Codec[0]; // written once, before the codec is shared
  private boolean isStable; // computed with the components
  private boolean isFrozen;

  /// @param tag the value of the entry [#TAG]; empty for none
  RecordCodec(Class<?> type, String tag) {
    this.type = type;
    this.tag = tag;
    RecordComponent[] all = type.getRecordComponents();
    this.names = Arrays.stream(all).map(RecordComponent::getName).toArray(String[]::new);
    List<String> sorted = sorted(names, !tag.isEmpty());
    this.maker = new StructValue.Maker(new StructValue.Shape(sorted));
    this.positions = Arrays.stream(names).mapToInt(sorted::indexOf).toArray();
    this.tagPosition = sorted.indexOf(TAG);
    this.accessors = new MethodHandle[all.length];
    try {
      MethodHandles.Lookup lookup = lookup(type);
      for (int i = 0; i < all.length; i++) {
        accessors[i] =
            lookup
                .unreflect(all[i].getAccessor())
                .asType(MethodType.methodType(Object.class, Object.class));
      }
      Class<?>[] types = Arrays.stream(all).map(RecordComponent::getType).toArray(Class<?>[]::new);
      this.constructor =
          lookup
              .findConstructor(type, MethodType.methodType(void.class, types))
              .asSpreader(Object[].class, types.length)
              .asType(MethodType.methodType(Object.class, Object[].class));
    } catch (ReflectiveOperationException e) {
      throw closed(type, e);
    }
  }

  /// The components of a record by the types that their values have. Throws [ValueException] if one
  /// of them cannot be stored.
  static Map<String, @Nullable Object> stored(Record record) {
    MethodHandles.Lookup lookup = lookup(record.getClass());
    Map<String, @Nullable Object> all = new TreeMap<>();
    for (RecordComponent each : record.getClass().getRecordComponents()) {
      try {
        MethodType reading = MethodType.methodType(Object.class, Object.class);
        MethodHandle accessor = lookup.unreflect(each.getAccessor()).asType(reading);
        all.put(each.getName(), Codecs.stored(get(accessor, record, each.getName())));
      } catch (ValueException e) {
        throw e.in(each.getName());
      } catch (ReflectiveOperationException e) {
        throw closed(record.getClass(), e);
      }
    }
    return all;
  }

  private static ValueException closed(Class<?> type, ReflectiveOperationException e) {
    return new ValueException(
        "record %s cannot be used; open its package to dev.damask.typed".formatted(type.getName()),
        e);
  }

  private static List<String> sorted(String[] names, boolean isTagged) {
    TreeMap<String, String> all = new TreeMap<>();
    for (String name : names) {
      all.put(name, name);
    }
    if (isTagged) {
      all.put(TAG, TAG);
    }
    return List.copyOf(all.values());
  }

  /// Reaches private records in packages that are open to this module, else public ones.
  static MethodHandles.Lookup lookup(Class<?> type) {
    try {
      RecordCodec.class.getModule().addReads(type.getModule());
      return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
    } catch (IllegalAccessException e) {
      return MethodHandles.publicLookup();
    }
  }

  /// Sets the codecs of the components, in their order.
  void link(List<Codec> all) {
    components = all.toArray(new Codec[0]);
  }

  /// Called when every codec that this one reaches is linked.
  void settle() {
    isStable = isStable(identitySet());
    isFrozen = isFrozen(identitySet());
  }

  private static Set<Codec> identitySet() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  @Override
  public StructValue encode(@Nullable Object value) {
    if (value == null) {
      throw new ValueException("null is not allowed; declare Optional<" + name() + ">");
    }
    @Nullable Object[] values = new Object[names.length + (tagPosition < 0 ? 0 : 1)];
    if (tagPosition >= 0) {
      values[tagPosition] = tag;
    }
    for (int i = 0; i < names.length; i++) {
      Object part = get(accessors[i], value, names[i]);
      try {
        values[positions[i]] = components[i].encode(part);
      } catch (ValueException e) {
        throw e.in(names[i]);
      }
    }
    StructValue struct = make(values);
    if (isStable) {
      struct.keep(this, value);
    }
    return struct;
  }

  private StructValue make(@Nullable Object[] values) {
    try {
      return maker.of(values);
    } catch (IllegalArgumentException e) { // too deep, or a decimal too large
      throw new ValueException(String.valueOf(e.getMessage()), e);
    }
  }

  private static @Nullable Object get(MethodHandle accessor, Object record, String name) {
    try {
      return (Object) accessor.invokeExact(record);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new ValueException("component " + name + " cannot be read: " + e, e);
    }
  }

  @Override
  public Object decode(@Nullable Object stored) {
    if (stored instanceof StructValue struct) {
      Object known = struct.decodedBy(this);
      if (known == null) {
        known = make(struct);
        if (isFrozen) {
          struct.keep(this, known);
        }
      }
      return known;
    }
    if (stored instanceof Map<?, ?> map) {
      return make(map);
    }
    throw ValueException.expected(name(), stored);
  }

  private Object make(Map<?, ?> map) {
    @Nullable Object[] parts = new Object[names.length];
    for (int i = 0; i < names.length; i++) {
      Object part = map.get(names[i]);
      try {
        boolean isMissing = part == null && !map.containsKey(names[i]);
        parts[i] = isMissing ? components[i].missing() : components[i].decode(part);
      } catch (ValueException e) {
        throw e.in(names[i]);
      }
    }
    try {
      return (Object) constructor.invokeExact(parts);
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      throw new ValueException(name() + " refuses its components: " + e.getMessage(), e);
    }
  }

  @Override
  public String name() {
    return type.getSimpleName();
  }

  /// A part that may be missing in a stored value ends with `?`.
  @Override
  public void shapes(Map<String, String> all) {
    String name = "record " + type.getName();
    if (all.put(name, "") == null) {
      for (int i = 0; i < names.length; i++) {
        all.put(name + "." + names[i], shape(components[i]));
        components[i].shapes(all);
      }
    }
  }

  private static String shape(Codec component) {
    return switch (component) {
      case ContainerCodec.OfOptional(var inner) -> inner.name() + "?";
      case ContainerCodec.OfNullable(var inner) -> inner.name() + "?";
      default -> component.name() + (mayBeMissing(component) ? "?" : "");
    };
  }

  private static boolean mayBeMissing(Codec component) {
    try {
      Object _ = component.missing();
      return true;
    } catch (ValueException e) {
      return false;
    }
  }

  @Override
  public boolean isStable(Set<Codec> seen) {
    return !seen.add(this) || Arrays.stream(components).allMatch(each -> each.isStable(seen));
  }

  @Override
  public boolean isFrozen(Set<Codec> seen) {
    return !seen.add(this) || Arrays.stream(components).allMatch(each -> each.isFrozen(seen));
  }
}
